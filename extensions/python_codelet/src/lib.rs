//! GXF's PythonCodeletExtension: `nvidia::gxf::PyCodeletV0`, a codelet written in Python, and the
//! payload `nvidia::gxf::PyData`, any Python object in a message.
//!
//! The library links to no Python. The first codelet that starts opens it:
//!
//! - `interpreter.rs`: finds and opens the machine's Python, or uses that of the process;
//! - `library.rs`: the functions of Python's library that this takes;
//! - `codelet.rs`, `term.rs`, `serializer.rs`: the components, which call the Python module `gxe`
//!   through the table of `gxf-python-bridge`.

mod codelet;
mod interpreter;
mod library;
mod serializer;
mod term;

use codelet::PyCodelet;
use gxf_python_bridge::PyData;
use serializer::PythonSerializer;
use term::PythonTerm;

gxf::gxf_ext_factory! {
    id: 0x787daddc1c3411ec, 0x96210242ac130002;
    name: "PythonCodeletExtension";
    version: "0.6.0";
    description: "Codelets written in Python";
    license: "Apache-2.0";
    display_name: "Python codelets";
    category: "Python";
    brief: "Codelets written in Python";
    components: [
        PyCodelet: Codelet {
            id: 0xcd8b08c2f643483f, 0xf33b02bfa75c23fb;
            name: "nvidia::gxf::PyCodeletV0";
        },
        PythonTerm: SchedulingTerm {
            id: 0x7f3f1d0c5f7a4b0e, 0x9d2e6a1b8c4f3e57;
            name: "gxe::PythonSchedulingTerm";
        },
        PythonSerializer: ComponentSerializer {
            id: 0x80f513521caa4d0b, 0x8b752f06a9e6a72e;
            name: "gxe::PythonSerializer";
        },
    ];
    payloads: [
        PyData { name: "nvidia::gxf::PyData"; },
    ];
}
