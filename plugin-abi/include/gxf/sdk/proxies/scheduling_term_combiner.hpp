/// Proxies for the host's combiners.
#ifndef GXF_SDK_PROXIES_SCHEDULING_TERM_COMBINER_HPP_
#define GXF_SDK_PROXIES_SCHEDULING_TERM_COMBINER_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// The host asks its combiners for the condition of all their terms at once. Its only combiner is
/// the OR combiner; the base has the rule for two conditions.
class SchedulingTermCombinerProxy : public OrSchedulingTermCombiner {
 public:
  Expected<void> Connect() {
    return combiner_.Connect(context(), cid(), GXE_TID_SCHEDULING_TERM_COMBINER);
  }
  FixedVector<Handle<SchedulingTerm>, kMaxComponents> getTermList() const override {
    struct List {
      gxf_context_t context;
      FixedVector<Handle<SchedulingTerm>, kMaxComponents> terms;
    };
    List list{context(), {}};
    const GxeUidSink sink = {&list, [](void* user, GxeUid cid) {
                               auto* into = static_cast<List*>(user);
                               auto term = Handle<SchedulingTerm>::Create(into->context, cid);
                               if (term) { into->terms.push_back(std::move(term.value())); }
                             }};
    combiner_.table().terms(combiner_.object(), sink);
    return std::move(list.terms);
  }

 private:
  Link<GxeSchedulingTermCombinerVtable> combiner_;
};
template <>
struct Proxy<SchedulingTermCombiner> : ProxyOf<SchedulingTermCombinerProxy> {};
template <>
struct Proxy<OrSchedulingTermCombiner> : ProxyOf<SchedulingTermCombinerProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_SCHEDULING_TERM_COMBINER_HPP_
