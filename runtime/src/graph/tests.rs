//! What users see: whole messages for the mistakes that are made most.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::overrides::parse_override;
use super::parameter::{Number, ParameterSpec, parse_value};
use super::read_app;
use super::source::Source;
use super::yaml::parse_stream;
use gxf_plugin_abi::{ParameterType, ResultCode};

/// All messages about an app file.
fn app(text: &str) -> String {
    let mut diagnostics = Diagnostics::new();
    let _ = read_app(&Source::new("app.yaml", text), &mut diagnostics);
    diagnostics.render(false)
}

/// All messages about the value of the parameter `capacity`.
fn value(spec: &ParameterSpec, text: &str) -> String {
    let source = Source::new("app.yaml", text);
    let node = parse_stream(&source).unwrap().remove(0);
    let errors = parse_value(spec, node.get("capacity").unwrap(), &source).unwrap_err();
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(errors);
    diagnostics.render(false)
}

#[track_caller]
fn check(found: String, expected: &str) {
    assert_eq!(found.trim_end(), expected.trim_matches('\n').trim_end(), "found:\n{found}");
}
#[test]
fn show(){
  let p=|s:String| println!("{s}=======");
  p(app("name: tx\ncomponents:\n- type: \"nvidia::gxf::Clock\n  name: c\n"));
  p(app("name: tx\ncomponents:\n- type: [a, b\n  name: c\n"));
  p(app("name: tx\ncomponents: [a, b\n"));
  p(app("name: tx\ncomponents:\n\t- type: A\n"));
  p(app("name: tx\ncomponents:\n- type: A\n  name: b\n\tparameters: 5\n"));
  p(app("name: tx\ncomponents:\n- type: A\n  name: a\n  type: B\n"));
  p(app("name: tx: y\n"));
  p(app("name: tx\n components: []\n"));
  p(app("name: tx\ncomponents:\n- name: x\n- type\n"));
  p(app("name: tx\ncomponents:\n - name: x\n- type: y\n"));
  p(app("a: &a [x,x]\nb: *c"));
  p(app("name: a\ncomponent:\n- type: A\n  parametrs: {}\n  äß: 1\n"));
  p(app(&format!("{}x", "[".repeat(200))));
  let mut spec=ParameterSpec::new("capacity", ParameterType::INT32, 1);
  p(value(&spec, "capacity: {a: 1}\n"));
  p(value(&spec, "capacity: [1, [2], ä, 3000000000]\n"));
  spec.rank=0; spec.minimum=Some(Number::Integer(1)); spec.maximum=Some(Number::Integer(10)); spec.unit=Some("ms".into());
  p(value(&spec, "capacity: 11\n"));
  let mut spec=ParameterSpec::new("capacity", ParameterType::STRING, 0); spec.choices=vec!["Broadcast".into(),"RoundRobin".into()];
  p(value(&spec, "capacity: Roundrobin\n"));
  p(Diagnostics::from(parse_override("tx/signal=5",3).unwrap_err()).render(false));
  p(Diagnostics::from(parse_override("tx/signal/key=[1, 2",3).unwrap_err()).render(false));
  p(app(&format!("name: a\n{}: {}, x: y\n", "k".repeat(500), "ab ".repeat(300000))));
  p(app("name: \u{202e}a\x1b[31m: [\n"));
  p(Diagnostics::from(Diagnostic::error(ResultCode::FAILURE,"bad \x1b[31m\nthing")).render(false));
  println!("{}",(0..5).map(|_| app("component: 1")).collect::<String>());
}
