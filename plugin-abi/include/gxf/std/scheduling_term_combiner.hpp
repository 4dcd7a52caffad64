/// Several scheduling terms seen as one.
#ifndef NVIDIA_GXF_STD_SCHEDULING_TERM_COMBINER_HPP_
#define NVIDIA_GXF_STD_SCHEDULING_TERM_COMBINER_HPP_

#include "common/fixed_vector.hpp"
#include "gxf/core/component.hpp"
#include "gxf/std/scheduling_term.hpp"

namespace nvidia {
namespace gxf {

/// Combines the conditions of some terms of its entity.
class SchedulingTermCombiner : public Component {
 public:
  ~SchedulingTermCombiner() override = default;

  virtual SchedulingCondition combine(SchedulingCondition a, SchedulingCondition b) = 0;
  /// The terms that are combined; they do not count by themselves.
  virtual FixedVector<Handle<SchedulingTerm>, kMaxComponents> getTermList() const = 0;
};

/// The entity may run when one of the terms lets it.
class OrSchedulingTermCombiner : public SchedulingTermCombiner {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(terms_, "terms", "Terms", "The terms to combine."));
  }
  SchedulingCondition combine(SchedulingCondition a, SchedulingCondition b) override {
    for (const auto type : {SchedulingConditionType::NEVER, SchedulingConditionType::READY,
                            SchedulingConditionType::WAIT_EVENT}) {
      if (a.type == type) { return a; }
      if (b.type == type) { return b; }
    }
    if (a.type != b.type) { return a.type == SchedulingConditionType::WAIT_TIME ? a : b; }
    return a.target_timestamp < b.target_timestamp ? a : b;
  }
  FixedVector<Handle<SchedulingTerm>, kMaxComponents> getTermList() const override {
    return terms_.get();
  }

 private:
  Parameter<FixedVector<Handle<SchedulingTerm>, kMaxComponents>> terms_;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/scheduling_term_combiner.hpp"
#include "gxf/sdk/tables/scheduling_term_combiner.hpp"

#endif  // NVIDIA_GXF_STD_SCHEDULING_TERM_COMBINER_HPP_
