//! GXF's SerializationExtension: messages as bytes.
//!
//! A map:
//!
//! - `component_serializer.rs`: `StdComponentSerializer`, the standard payloads;
//! - `entity_serializer.rs`: `StdEntitySerializer`, whole messages; `entity_id_serializer.rs`:
//!   `StdEntityIdSerializer`, their ids, within one process;
//! - `serialization_buffer.rs`, `file.rs`: endpoints;
//! - `entity_recorder.rs`, `entity_replayer.rs`: messages to the files of a recording and back.
//!
//! The layout of entities is in `gxf::serialization`, that of recordings in the crate
//! `gxf-recording`; what this extension shares with others, in `gxf-message-recording`. Component
//! serializers of other extensions support other payloads.
#![forbid(unsafe_code)]

mod component_serializer;
mod entity_id_serializer;
mod entity_recorder;
mod entity_replayer;
mod entity_serializer;
mod file;
mod serialization_buffer;

use component_serializer::StdComponentSerializer;
use entity_id_serializer::StdEntityIdSerializer;
use entity_recorder::EntityRecorder;
use entity_replayer::EntityReplayer;
use entity_serializer::StdEntitySerializer;
use file::File;
use serialization_buffer::SerializationBuffer;

gxf::gxf_ext_factory! {
    id: 0xbc573c2f89b3d4b0, 0x80612da8b11fe79a;
    name: "SerializationExtension";
    version: "2.6.0";
    description: "Messages as bytes: serializers, endpoints, recorder and replayer";
    license: "Apache-2.0";
    display_name: "Serialization";
    category: "Serialization";
    brief: "Serializers, endpoints, recorder and replayer";
    components: [
        SerializationBuffer: Endpoint + SerializationBuffer {
            id: 0xcb253dcecce62ff4, 0x84ef3cf1db6e24a3;
            name: "nvidia::gxf::SerializationBuffer";
        },
        File: Endpoint + File {
            id: 0xc132f22c1ed16c0f, 0xed53c63bf9b28354;
            name: "nvidia::gxf::File";
        },
        StdComponentSerializer: ComponentSerializer {
            id: 0xc0e6b36c39ac50ac, 0xce8d702e18d8bff7;
            name: "nvidia::gxf::StdComponentSerializer";
        },
        StdEntitySerializer: EntitySerializer {
            id: 0xbe82d2fa52f53687, 0x84d3e4999125a09b;
            name: "nvidia::gxf::StdEntitySerializer";
        },
        StdEntityIdSerializer: EntitySerializer {
            id: 0x0d0fa475c5324a45, 0x890028acd3adf8c7;
            name: "nvidia::gxf::StdEntityIdSerializer";
        },
        EntityRecorder: Codelet {
            id: 0x9d5955c78fda22c7, 0xf18fea5e2d195be9;
            name: "nvidia::gxf::EntityRecorder";
        },
        EntityReplayer: Codelet {
            id: 0xfe827c12d360c63c, 0x809432b9244d83b6;
            name: "nvidia::gxf::EntityReplayer";
        },
    ];
}
