//! The layout of video frames, sound, cameras and poses in a stream.
//!
//! Little endian, without padding. Video frames have the layout of GXF's network extension; the
//! others, whose layout GXF does not document, have their fields in order:
//!
//! ```text
//! video   u32 width  u32 height  i32 storage  i64 format
//!         4 planes: name[256]  u8 bytes per pixel  i32 stride  u32 offset
//!                   u32 width  u32 height  u64 size                           281 bytes each
//!         i32 surface layout  u32 plane count                               1152 bytes in all
//!         bytes from the first one to the end of the last plane
//! audio   u32 channels  u32 samples  u32 sampling rate  u32 bytes per sample
//!         i32 format  i32 layout  i32 storage                                 28 bytes in all
//!         the samples
//! camera  u32 dimensions[2]  f32 focal length[2]  f32 principal point[2]  f32 skew
//!         i32 distortion type  f32 coefficients[8]                            64 bytes
//! pose    f32 rotation[9]  f32 translation[3]                                 48 bytes
//! ```

use super::Place;
use super::fields::{Fields, Record};
use gxf::multimedia::{
    AudioBufferInfo, AudioFormat, AudioLayout, CameraModel, ColorPlane, DistortionType, Pose3D,
    SurfaceLayout, VideoBufferInfo, VideoFormat, color_space, named_plane,
};
use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, AudioBuffer, Endpoint, Tid, VideoBuffer};

/// Bytes of a plane's name in a stream.
const NAME_SIZE: usize = 256;
const PLANES: usize = 4;
const VIDEO_HEADER_SIZE: usize = 20 + PLANES * (NAME_SIZE + 25) + 8;
const AUDIO_HEADER_SIZE: usize = 28;
const CAMERA_SIZE: usize = 64;
const POSE_SIZE: usize = 48;

const SUPPORTED: [Tid; 4] = [VideoBuffer::TID, AudioBuffer::TID, CameraModel::TID, Pose3D::TID];

fn invalid(text: String) -> Error {
    Error::new(ResultCode::INVALID_DATA_FORMAT, text)
}

/// Bytes from the first one of a frame to the end of its last plane.
fn video_size(planes: &[ColorPlane]) -> Result<u64> {
    planes.iter().try_fold(0u64, |size, plane| {
        let end = u64::from(plane.offset).checked_add(plane.size);
        end.map(|end| size.max(end)).ok_or_else(|| invalid("a plane without an end".to_owned()))
    })
}

fn write_video(video: &VideoBuffer, endpoint: &Endpoint, place: Place<'_>) -> Result<u64> {
    let info = video.info();
    let mut header = Record::<VIDEO_HEADER_SIZE>::new();
    header.put(&info.width.to_le_bytes()).put(&info.height.to_le_bytes());
    header
        .put(&place.storage_of(video.memory()).0.to_le_bytes())
        .put(&info.color_format.0.to_le_bytes());
    for plane in &info.color_planes {
        let name = color_space(plane).as_bytes();
        header.put(name).skip(NAME_SIZE - name.len()).put(&[plane.bytes_per_pixel]);
        for number in [plane.stride, plane.offset, plane.width, plane.height] {
            header.put(&number.to_le_bytes());
        }
        header.put(&plane.size.to_le_bytes());
    }
    header.put(&info.surface_layout.0.to_le_bytes());
    header.put(&(video.planes().len() as u32).to_le_bytes());
    let size = video_size(video.planes())?;
    let bytes = usize::try_from(size).ok().filter(|_| size <= video.memory().size());
    let bytes = bytes
        .ok_or_else(|| invalid(format!("the planes of a frame end beyond its {size} bytes")))?;
    let written = header.write(endpoint)?;
    place.write_memory(video.memory(), bytes, endpoint)?;
    Ok(written + size)
}

fn read_plane(fields: &mut Fields<VIDEO_HEADER_SIZE>) -> Result<ColorPlane> {
    let name = fields.take::<NAME_SIZE>();
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = core::str::from_utf8(name)
        .map_err(|_| invalid("the name of a plane is not UTF-8".to_owned()))?;
    let [bytes_per_pixel] = fields.take();
    let [stride, offset, width, height] = core::array::from_fn(|_| fields.u32());
    let plane = ColorPlane {
        bytes_per_pixel,
        stride,
        offset,
        width,
        height,
        size: fields.u64(),
        ..ColorPlane::default()
    };
    named_plane(name, plane)
}

fn read_video(
    endpoint: &Endpoint,
    allocator: &Handle<Allocator>,
    place: Place<'_>,
) -> Result<VideoBuffer> {
    let mut fields = Fields::<VIDEO_HEADER_SIZE>::read(endpoint)?;
    let (width, height, storage) = (fields.u32(), fields.u32(), StorageType(fields.i32()));
    let color_format = VideoFormat(i64::from_le_bytes(fields.take()));
    let mut color_planes = [ColorPlane::default(); PLANES];
    for plane in &mut color_planes {
        *plane = read_plane(&mut fields)?;
    }
    let (surface_layout, plane_count) = (SurfaceLayout(fields.i32()), fields.u32());
    let planes = color_planes.get(..plane_count as usize);
    let planes = planes.ok_or_else(|| invalid(format!("a frame with {plane_count} planes")))?;
    let memory = place.read(endpoint, allocator, video_size(planes)?, storage)?;
    let info =
        VideoBufferInfo { width, height, color_format, plane_count, surface_layout, color_planes };
    VideoBuffer::from_memory(info, memory)
}

fn write_audio(audio: &AudioBuffer, endpoint: &Endpoint, place: Place<'_>) -> Result<u64> {
    let info = audio.info();
    let mut header = Record::<AUDIO_HEADER_SIZE>::new();
    for number in [info.channels, info.samples, info.sampling_rate, info.bytes_per_sample] {
        header.put(&number.to_le_bytes());
    }
    let stated = place.storage_of(audio.memory());
    for number in [info.audio_format.0, info.audio_layout.0, stated.0] {
        header.put(&number.to_le_bytes());
    }
    let size = audio_size(info)?;
    let bytes = usize::try_from(size).ok().filter(|_| size <= audio.memory().size());
    let bytes = bytes.ok_or_else(|| invalid(format!("sound without its {size} bytes")))?;
    let written = header.write(endpoint)?;
    place.write_memory(audio.memory(), bytes, endpoint)?;
    Ok(written + size)
}

/// Bytes of all samples.
fn audio_size(info: &AudioBufferInfo) -> Result<u64> {
    let samples = u64::from(info.channels) * u64::from(info.samples);
    let size = samples.checked_mul(info.bytes_per_sample.into());
    size.ok_or_else(|| invalid("sound that is larger than any memory".to_owned()))
}

fn read_audio(
    endpoint: &Endpoint,
    allocator: &Handle<Allocator>,
    place: Place<'_>,
) -> Result<AudioBuffer> {
    let mut fields = Fields::<AUDIO_HEADER_SIZE>::read(endpoint)?;
    let info = AudioBufferInfo {
        channels: fields.u32(),
        samples: fields.u32(),
        sampling_rate: fields.u32(),
        bytes_per_sample: fields.u32(),
        audio_format: AudioFormat(fields.i32()),
        audio_layout: AudioLayout(fields.i32()),
    };
    let storage = StorageType(fields.i32());
    let memory = place.read(endpoint, allocator, audio_size(&info)?, storage)?;
    AudioBuffer::from_memory(info, memory)
}

fn write_camera(camera: &CameraModel, endpoint: &Endpoint) -> Result<u64> {
    let mut record = Record::<CAMERA_SIZE>::new();
    for number in camera.dimensions {
        record.put(&number.to_le_bytes());
    }
    for number in camera.focal_length.iter().chain(&camera.principal_point) {
        record.put(&number.to_le_bytes());
    }
    record.put(&camera.skew_value.to_le_bytes()).put(&camera.distortion_type.0.to_le_bytes());
    for number in camera.distortion_coefficients {
        record.put(&number.to_le_bytes());
    }
    record.write(endpoint)
}

fn read_camera(endpoint: &Endpoint) -> Result<CameraModel> {
    let mut fields = Fields::<CAMERA_SIZE>::read(endpoint)?;
    Ok(CameraModel {
        dimensions: [fields.u32(), fields.u32()],
        focal_length: fields.f32s(),
        principal_point: fields.f32s(),
        skew_value: fields.f32(),
        distortion_type: DistortionType(fields.i32()),
        distortion_coefficients: fields.f32s(),
    })
}

fn write_pose(pose: &Pose3D, endpoint: &Endpoint) -> Result<u64> {
    let mut record = Record::<POSE_SIZE>::new();
    for number in pose.rotation.iter().chain(&pose.translation) {
        record.put(&number.to_le_bytes());
    }
    record.write(endpoint)
}

fn read_pose(endpoint: &Endpoint) -> Result<Pose3D> {
    let mut fields = Fields::<POSE_SIZE>::read(endpoint)?;
    Ok(Pose3D { rotation: fields.f32s(), translation: fields.f32s() })
}

/// Whether the functions below read and write payloads of this type.
#[must_use]
pub fn supports(tid: Tid) -> bool {
    SUPPORTED.contains(&tid)
}

/// Writes a payload of a supported type and returns the number of bytes.
///
/// # Errors
/// Those of the endpoint; `QUERY_NOT_FOUND` for a type that is not supported.
pub fn write(payload: AnyPayload<'_>, endpoint: &Endpoint, place: Place<'_>) -> Result<u64> {
    if let Some(video) = payload.get::<VideoBuffer>() {
        write_video(video, endpoint, place)
    } else if let Some(audio) = payload.get::<AudioBuffer>() {
        write_audio(audio, endpoint, place)
    } else if let Some(camera) = payload.get::<CameraModel>() {
        write_camera(camera, endpoint)
    } else if let Some(pose) = payload.get::<Pose3D>() {
        write_pose(pose, endpoint)
    } else {
        Err(ResultCode::QUERY_NOT_FOUND.into())
    }
}

/// Reads into a payload of a supported type.
///
/// # Errors
/// Those of the endpoint and the allocator; `INVALID_DATA_FORMAT` for what cannot be;
/// `QUERY_NOT_FOUND` for a type that is not supported.
pub fn read(
    mut payload: AnyPayloadMut<'_>,
    endpoint: &Endpoint,
    allocator: &Handle<Allocator>,
    place: Place<'_>,
) -> Result<()> {
    if let Some(video) = payload.get::<VideoBuffer>() {
        *video = read_video(endpoint, allocator, place)?;
    } else if let Some(audio) = payload.get::<AudioBuffer>() {
        *audio = read_audio(endpoint, allocator, place)?;
    } else if let Some(camera) = payload.get::<CameraModel>() {
        *camera = read_camera(endpoint)?;
    } else if let Some(pose) = payload.get::<Pose3D>() {
        *pose = read_pose(endpoint)?;
    } else {
        return Err(ResultCode::QUERY_NOT_FOUND.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::MemoryBuffer;

    fn written(write: impl Fn(&Endpoint) -> Result<u64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let size = Endpoint::of_writer(&mut bytes, |endpoint| write(endpoint)).unwrap();
        assert_eq!(size, bytes.len() as u64);
        bytes
    }

    #[test]
    fn a_frame_has_its_fields_at_their_offsets() {
        let format = VideoFormat::NV12;
        let (info, size) = gxf::multimedia::default_color_planes(format, 6, 4, true).unwrap();
        let memory = MemoryBuffer::from_vec((0..size).map(|byte| byte as u8).collect::<Vec<_>>());
        let frame = VideoBuffer::from_memory(info, memory).unwrap();
        let staging = gxf_device::Staging::default();
        let bytes = written(|endpoint| write_video(&frame, endpoint, Place::Inline(&staging)));
        assert_eq!(bytes.len(), 1152 + 256 * 6);
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([u32_at(0), u32_at(4), u32_at(8), u32_at(12)], [6, 4, 2, 5]);
        assert_eq!(&bytes[20..22], b"Y\0");
        let second = 20 + 281;
        assert_eq!(&bytes[second..second + 3], b"UV\0");
        assert_eq!(bytes[second + 256], 2);
        let numbers = [0, 4, 8, 12].map(|at| u32_at(second + 257 + at));
        assert_eq!(numbers, [256, 1024, 3, 2]);
        assert_eq!([u32_at(1144), u32_at(1148)], [1, 2]);
        assert_eq!(bytes[1152 + 257], 1);
    }

    #[test]
    fn cameras_and_poses_come_back() {
        let camera = CameraModel {
            dimensions: [640, 480],
            focal_length: [1.0, 2.0],
            principal_point: [3.0, 4.0],
            skew_value: 5.0,
            distortion_type: DistortionType::BROWN,
            distortion_coefficients: [6.0; 8],
        };
        let bytes = written(|endpoint| write_camera(&camera, endpoint));
        let back = Endpoint::of_reader(&mut &bytes[..], read_camera).unwrap();
        assert_eq!(back, camera);
        let pose = Pose3D { rotation: [1.5; 9], translation: [1.0, 2.0, 3.0] };
        let bytes = written(|endpoint| write_pose(&pose, endpoint));
        assert_eq!(bytes.len(), 48);
        assert_eq!(Endpoint::of_reader(&mut &bytes[..], read_pose).unwrap(), pose);
        assert!(Endpoint::of_reader(&mut &bytes[..47], read_pose).is_err());
    }
}
