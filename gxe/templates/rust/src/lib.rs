//! The types of this extension. gxe reads the list below from the library.

mod number_sink;
mod number_source;

use number_sink::NumberSink;
use number_source::NumberSource;

gxf::gxf_ext_factory! {
    id: @extension_id@;
    name: "@Crate@Extension";
    version: "0.1.0";
    description: "Codelets that count and add up";
    components: [
        NumberSource: Codelet {
            id: @source_id@;
            name: "@crate@::NumberSource";
        },
        NumberSink: Codelet {
            id: @sink_id@;
            name: "@crate@::NumberSink";
        },
    ];
}
