//! The codes with which STM's functions answer.

use std::fmt::{Display, Formatter, Result};

macro_rules! codes {
    ($($name:ident = $value:literal, $constant:literal, $text:literal;)*) => {
        /// What a function of STM answers. The numbers are STM's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Status {
            $(#[doc = $text] $name = $value,)*
        }

        impl Status {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in C.
            #[must_use]
            pub fn constant(self) -> &'static str {
                match self { $(Self::$name => $constant,)* }
            }

            /// What it means.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    Success = 0, "STM_SUCCESS", "success";
    NotInitialized = 1, "STM_ERROR_NOT_INITIALIZED", "not initialized";
    BadParameter = 2, "STM_ERROR_BAD_PARAMETER", "bad parameter";
    NotSupported = 3, "STM_ERROR_NOT_SUPPORTED", "not supported";
    Timeout = 4, "STM_ERROR_TIMEOUT", "time-out";
    NotFound = 5, "STM_ERROR_NOT_FOUND", "not found";
    InvalidState = 6, "STM_ERROR_INVALID_STATE", "invalid state";
    Generic = 7, "STM_ERROR_GENERIC", "generic error";
    BadValue = 8, "STM_ERROR_BAD_VALUE", "bad value";
    NvSciSync = 9, "STM_ERROR_NVSCISYNC", "NvSciSync";
    Sync = 10, "STM_ERROR_SYNC", "synchronization";
    NvSciSyncTimeout = 11, "STM_ERROR_NVSCISYNC_TIMEOUT", "time-out of NvSciSync";
    Cuda = 12, "STM_ERROR_CUDA", "CUDA";
    InsufficientMemory = 13, "STM_ERROR_INSUFFICIENT_MEMORY", "insufficient memory";
    NvMediaDla = 14, "STM_ERROR_NVMEDIA_DLA", "NvMedia DLA";
    CuDla = 15, "STM_ERROR_CUDLA", "cuDLA";
    Pva = 16, "STM_ERROR_PVA", "PVA";
    MessageQueueFull = 17, "STM_ERROR_MESSAGE_QUEUE_FULL", "message queue full";
    Connection = 18, "STM_ERROR_CONNECTION", "connection";
    UnknownClock = 19, "STM_ERROR_UNKNOWN_CLOCK", "unknown clock";
    TimestampFailed = 20, "STM_ERROR_TIMESTAMP_FAILED", "no time stamp";
    UnknownState = 21, "STM_ERROR_UNKNOWN_STATE", "unknown state";
    BadStateTransition = 22, "STM_ERROR_BAD_STATE_TRANSITION", "bad state transition";
    ScheduleIdInvalid = 23, "STM_ERROR_SCHEDULE_ID_INVALID", "schedule id invalid";
}

impl Status {
    /// Its number.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The status with a number.
    #[must_use]
    pub fn of(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

impl Display for Status {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        write!(out, "STM's error {}, {}", self.code(), self.text())
    }
}

impl std::error::Error for Status {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_consecutive() {
        for (number, status) in (0..).zip(Status::ALL) {
            assert_eq!((status.code(), Status::of(number)), (number, Some(*status)));
        }
        assert_eq!(Status::of(24), None);
    }
}
