//! Conversion of values to their ABI form and back. Miri runs these.

use super::*;
use crate::{ResultCode, Tid};
use core::ptr::NonNull;
use std::path::PathBuf;

/// A context that is never dereferenced: only handles need one.
fn with_context<R>(test: impl FnOnce(&ComponentContext) -> R) -> R {
    let mut environment = abi::ComponentEnvironment {
        size: size_of::<abi::ComponentEnvironment>(),
        context: core::ptr::null_mut(),
        eid: 1,
        cid: 2,
    };
    // SAFETY: the environment outlives the context.
    test(&unsafe { ComponentContext::from_raw(NonNull::from(&mut environment)) })
}

#[track_caller]
fn comes_back<T: ParameterValue + PartialEq + core::fmt::Debug>(value: T) {
    let back = with_context(|context| T::from_value(context, &value.to_abi()));
    assert_eq!(back.unwrap(), value);
}

#[test]
fn every_type_comes_back() {
    comes_back(-8i8);
    comes_back(u64::MAX);
    comes_back(2.5f32);
    comes_back(true);
    comes_back("text".to_owned());
    comes_back(PathBuf::from("/a/file"));
    comes_back(Tid::new(1, 2));
    comes_back(Complex128 { re: 1.0, im: -2.0 });
    comes_back(Yaml("[1, {a: b}]".to_owned()));
    comes_back(Some(3usize));
    comes_back(vec![1i16, 2, 3]);
    comes_back(vec![true, false]);
    comes_back(vec!["one".to_owned(), String::new()]);
    comes_back(vec![vec![1.5f64], vec![], vec![2.5, 3.5]]);
    comes_back([[1u8, 2], [3, 4]]);
    comes_back(Vec::<Vec<Tid>>::new());
}

#[test]
fn a_value_of_another_type_or_length_is_refused() {
    with_context(|context| {
        let code = |result: Result<()>| result.unwrap_err().code();
        let number = 5i32.to_abi();
        let wrong = ResultCode::PARAMETER_INVALID_TYPE;
        assert_eq!(code(i64::from_value(context, &number).map(drop)), wrong);
        assert_eq!(code(Vec::<i32>::from_value(context, &number).map(drop)), wrong);
        let three = vec![1i32, 2, 3].to_abi();
        let error = <[i32; 2]>::from_value(context, &three).unwrap_err();
        assert_eq!(error.message(), "expected exactly 2 elements, found 3");
    });
}

#[test]
fn a_replaced_value_stays_readable() {
    with_context(|context| {
        let parameter: Parameter<String> = Parameter::default();
        assert!(parameter.try_get().is_none());
        for (index, text) in ["first", "second", "third"].iter().enumerate() {
            let before = parameter.try_get();
            parameter.assign(context, Some(&(*text).to_owned().to_abi())).unwrap();
            assert_eq!(parameter.get(), text);
            assert_eq!(before.is_some(), index > 0);
            if let Some(before) = before {
                assert_eq!(before, ["first", "second"][index - 1]);
            }
        }
        // SAFETY: no reference to a replaced value exists.
        unsafe { parameter.drop_replaced() };
    });
}

#[test]
fn a_component_lets_others_go_and_keeps_what_it_knows() {
    let plain = Parameter::new(3_u64);
    let list = Parameter::new(Vec::<crate::Handle<crate::Receiver>>::new());
    // SAFETY: no reference to either value exists.
    unsafe {
        plain.let_go();
        list.let_go();
    }
    assert_eq!(plain.try_get(), Some(&3));
    assert!(list.try_get().is_none());
}

#[test]
fn an_optional_parameter_without_a_value_is_none() {
    with_context(|context| {
        let parameter: Parameter<Option<i64>> = Parameter::default();
        parameter.assign(context, None).unwrap();
        assert_eq!(*parameter.get(), None);
    });
}
