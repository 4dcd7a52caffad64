/// The host's way into combiners of scheduling terms.
#ifndef GXF_SDK_TABLES_SCHEDULING_TERM_COMBINER_HPP_
#define GXF_SDK_TABLES_SCHEDULING_TERM_COMBINER_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SchedulingTermCombinerTable {
  static SchedulingTermCombiner& Self(void* object) { return BaseOf<SchedulingTermCombiner, T>(object); }

  static GxeResultCode Check(void* object, int64_t now, GxeCondition* condition) noexcept {
    return Guard(Self(object), "combine", [&]() -> gxf_result_t {
      auto terms = Self(object).getTermList();
      Expected<SchedulingCondition> combined = Unexpected{GXF_ARGUMENT_INVALID};
      for (size_t i = 0; i < terms.size(); i++) {
        const auto checked = terms.data()[i]->check(now);
        if (!checked) { return checked.error(); }
        combined = combined ? Self(object).combine(combined.value(), checked.value())
                            : checked.value();
      }
      if (!combined) { return combined.error(); }
      condition->condition_type = static_cast<GxeConditionType>(combined->type);
      condition->target = combined->target_timestamp;
      return GXF_SUCCESS;
    });
  }
  static void Terms(void* object, GxeUidSink sink) noexcept {
    (void)GuardValue(Self(object), "getTermList", false, [&] {
      const auto terms = Self(object).getTermList();
      for (size_t i = 0; i < terms.size(); i++) { sink.add(sink.user, terms.data()[i].cid()); }
      return true;
    });
  }

  static constexpr GxeSchedulingTermCombinerVtable kTable = {
      sizeof(GxeSchedulingTermCombinerVtable), Check, Terms};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SCHEDULING_TERM_COMBINER_HPP_
