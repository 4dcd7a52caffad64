// The types of this extension. gxe reads the list below from the library.
#include "number_sink.hpp"
#include "number_source.hpp"
#include "scale.hpp"

#include "gxf/std/extension_factory_helper.hpp"

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(@extension_id@, "@Crate@Extension",
                         "Codelets that count, multiply on a GPU, and add up", "", "0.1.0", "");
// The codelets. Never change their ids.
GXF_EXT_FACTORY_ADD(@source_id@, @crate@::NumberSource,
                    nvidia::gxf::Codelet, @crate@::NumberSource::kDescription);
GXF_EXT_FACTORY_ADD(@codelet_id@, @crate@::Scale,
                    nvidia::gxf::Codelet, @crate@::Scale::kDescription);
GXF_EXT_FACTORY_ADD(@sink_id@, @crate@::NumberSink,
                    nvidia::gxf::Codelet, @crate@::NumberSink::kDescription);
GXF_EXT_FACTORY_END()
