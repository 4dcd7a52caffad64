//! The types of this extension. gxe reads the list below from the library.

mod number_sink;
mod number_source;
mod scale;

use number_sink::NumberSink;
use number_source::NumberSource;
use scale::Scale;

gxf::gxf_ext_factory! {
    id: @extension_id@;
    name: "@Crate@Extension";
    version: "0.1.0";
    description: "Codelets that count, multiply on a GPU, and add up";
    components: [
        NumberSource: Codelet {
            id: @source_id@;
            name: "@crate@::NumberSource";
        },
        Scale: Codelet {
            id: @codelet_id@;
            name: "@crate@::Scale";
        },
        NumberSink: Codelet {
            id: @sink_id@;
            name: "@crate@::NumberSink";
        },
    ];
}
