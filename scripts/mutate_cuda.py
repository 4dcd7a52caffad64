#!/usr/bin/env python3
"""Takes out each wait and each fence of the work on devices, one at a time, and runs the tests of CUDA.

Each must fail: what nobody notices is not needed, or not tested. Some only repeat an order that there is
anyway, see ORDERED_ANYWAY. Works in a copy of the repository, in
FOLDER (its target folder is kept). Usage: scripts/mutate_cuda.py FOLDER [PART OF A NAME …]
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The quick ones first: the first that fails is enough. `cuda::` has `cpp::cuda::` as well.
TESTS = ["cuda_seen::", "cuda_payloads::", "cuda_errors::", "cuda_random::", "cuda::", "cuda_pictures::", "cuda_links::", "cuda_failures::", "cuda_graphs::"]

# What survives because memory that knows its users orders the same work: these waits and fences are for
# memory and readers of other kinds, such as an extension's own calls of CUDA.
ORDERED_ANYWAY = [
    "self.stream.wait(fence)?;",
    "work.input(",
    "set_fence(",
    "add_fence(",
    ".wait(&signaled)",
    # Host memory goes home when the device has read it; only an extension's own calls free it earlier.
    "Some(stream) => stream.wait(&fence),",
    "None => fence.synchronize(),",
    # Results are new memory, so nothing of gxe's writes what another stream may still read.
    "(waits.is_write || was_write) && -> was_write &&",
    # The codelets and allocators of gxe let everything go when they end; others may not.
    "the run ends",
]

# File, text, what replaces it, and which occurrence of it if there are several. A text that is not
# there any more is an error.
MUTATIONS = [
    ("runtime/device/src/work.rs", "            self.stream.wait(fence)?;\n", "            _ = fence;\n"),
    ("runtime/device/src/stream.rs", "            point.let_go(\"other work waits for it\")?;\n", ""),
    ("runtime/device/src/fence.rs", "        self.let_go(AWAITED)?;\n", ""),
    ("runtime/device/src/buffer.rs", "            if after(stream, number, callback) {\n                return Ok(());\n            }\n", "            _ = (stream, number, callback, after);\n"),
    ("runtime/device/src/buffer.rs", "        self.reads.push(fence);\n", "        self.reads = smallvec::smallvec![fence];\n"),
    ("runtime/device/src/work.rs", "    let recorded = call!(cuEventRecord(fence.event(), stream));\n", "    let recorded = gxf::Result::Ok(());\n"),
    ("runtime/device/src/chain.rs", "            _ = let_go(stream, 0, \"the run ends\");\n", ""),
    ("runtime/device/src/streams.rs", "stream.wait(&end_now(&named, is_fenced)?)?;", ""),
    ("runtime/device/src/work.rs", "                wait_for_uses(&self.stream, owner, &words, is_write)?;\n", ""),
    ("runtime/device/src/work.rs", "(waits.is_write || was_write) &&", "was_write &&"),
    ("runtime/device/src/work.rs", "(waits.is_write || was_write) &&", "waits.is_write &&"),
    ("runtime/device/src/work.rs", "unsafe { (owner.note_use)(words.as_ptr(), fence.clone().into_raw(), *is_write) };", "_ = (owner, words, is_write);"),
    ("runtime/device/src/work.rs", "        if self.is_unkept {\n            fence.synchronize()?;\n        }\n", ""),
    ("runtime/device/src/work.rs", "when_done(fence.point(), Action::Run(Box::new(free)))?;", "free();"),
    ("runtime/device/src/work.rs", "wait_for_uses(stream, self.owner, &self.memory.as_raw().words, self.is_write)", "Ok(())"),
    ("runtime/device/src/work.rs", "unsafe { (self.owner.note_use)(words, fence.clone().into_raw(), self.is_write) };", "_ = (words, fence);"),
    ("runtime/device/src/buffer.rs", "            ends.iter().try_for_each(|end| stream.wait(end).or_else(|_| end.synchronize()))\n", "            _ = (stream, &ends);\n            Result::Ok(())\n"),
    ("runtime/device/src/buffer.rs", "Stream::of_component_with(fence)\n", "None::<Stream>\n"),
    ("runtime/device/src/buffer.rs", "busy.retain(|fence| !fence.is_done().unwrap_or(false));", "busy.clear();"),
    ("runtime/device/src/pool.rs", "            self.device.synchronize()?;\n", ""),
    ("runtime/device/src/host_pool.rs", "Some(stream) => stream.wait(&fence),", "Some(_) => Ok(()),"),
    ("runtime/device/src/host_pool.rs", "None => fence.synchronize(),", "None => Ok(()),"),
    ("runtime/device/src/completion.rs", "    let waited = point.synchronize();\n", "    let waited = Result::Ok(());\n"),
    ("runtime/device/src/lent.rs", "        set_fence(message, fence)\n", "        _ = fence;\n        Ok(())\n"),
    ("runtime/device/src/work.rs", "        tick_table::enqueued(&self.stream, &fence);\n", "        _ = tick_table::enqueued;\n"),
    ("extensions/cuda/src/stream_sync.rs", "            fence.synchronize()?;\n", "            _ = fence;\n"),
    ("extensions/cuda/src/stream_sync.rs", ".synchronize()?;\n", ";\n", 1),
    ("extensions/npp/src/lib.rs", "        set_fence(&mut message, fence)?;\n", "        _ = fence;\n"),
    ("extensions/npp/src/lib.rs", "            work.input(&message)?;\n", ""),
    ("extensions/npp/src/lib.rs", "        set_fence(&mut answer, fence)?;\n", "        _ = fence;\n"),
    ("extensions/format_converter/src/converter.rs", "set_fence(&mut sent, fence)?;", "_ = fence;"),
    ("extensions/format_converter/src/device.rs", "        work.input(message)?;\n", ""),
    ("runtime/device/src/streams.rs", "ends.push(end_now(&named, is_fenced)?);", "_ = &mut ends;"),
    ("runtime/device/src/streams.rs", "message.find_all().chain(&ends)", "message.find_all::<Fence>().take(0).chain(&ends)"),
    ("extensions/serialization/messages/src/payloads/mod.rs", "add_fence(message, arrival.complete()?)", "arrival.complete().map(|fence| _ = (message, add_fence, fence))"),
    ("extensions/serialization/messages/src/entities.rs", "            wait_for_data(context, message)?;\n", "            _ = (context, wait_for_data);\n"),
    ("extensions/stream/src/lib.rs", ".wait(&signaled)", ".synchronize()"),
    ("runtime/engine/src/standard/codelet/tensor_copier.rs", "            work.input(message)?;\n", ""),
    ("runtime/engine/src/standard/codelet/tensor_copier.rs", "                wait_for_data(&context.handle(), &message)?;\n", "                _ = wait_for_data;\n"),
    ("runtime/engine/src/standard/codelet/tensor_copier.rs", "                ends.iter().chain([&fence]).try_for_each(Fence::synchronize)?;\n", "                _ = (&ends, fence);\n"),
    ("runtime/engine/src/standard/codelet/tensor_copier.rs", "set_fence(&mut copy, fence)?", "_ = fence"),
    ("runtime/engine/src/standard/memory/unbounded.rs", "                    stream.wait(&fence)?;\n", "                    _ = &fence;\n"),
    ("runtime/engine/src/standard/memory/streams.rs", "Self::Stream(stream) => stream.wait(fence),", "Self::Stream(_) => Ok(()),"),
    ("runtime/engine/src/standard/memory/streams.rs", "Self::Anybody => fence.synchronize(),", "Self::Anybody => Ok(()),"),
]


def mutated(text, old, new, number):
    parts = text.split(old)
    if len(parts) <= number + 1:
        sys.exit(f"`{old.strip()}` is not there any more: change the list in {__file__}")
    return old.join(parts[: number + 1]) + new + old.join(parts[number + 1 :])


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def failing(folder):
    """The first group of tests that fails, or None."""
    test = ["timeout", "600", "env", "GXE_TESTS_BUILT=1", "DEVICE_GRAPHS=120", "cargo", "test", "-p", "gxe-tests", "--test", "end_to_end", "--"]
    return next((group for group in TESTS if run(folder, *test, group).returncode != 0), None)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:] or [""]
    # With the times of the files, so that cargo builds only what changed.
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns("target", ".git"), dirs_exist_ok=True)
    build = ["cargo", "build", "--workspace", "--lib", "--bins"]
    subprocess.run(build, cwd=folder, check=True)
    if group := failing(folder):
        sys.exit(f"the tests fail without a mutation: {group}")
    survivors = []
    for path, old, new, *number in MUTATIONS:
        name = f"{path}: {' '.join(old.split())} -> {' '.join(new.split())} {number[0] if number else ''}"
        if not any(part in name for part in wanted):
            continue
        file = folder / path
        text = file.read_text()
        file.write_text(mutated(text, old, new, number[0] if number else 0))
        built = run(folder, *build)
        if built.returncode != 0:
            sys.exit(f"{name} does not compile:\n{built.stderr[-2000:]}")
        try:
            failed = failing(folder)
        finally:
            file.write_text(text)
        is_expected = any(text in name for text in ORDERED_ANYWAY)
        print(f"{'noticed ' if failed else 'ordered ' if is_expected else 'SURVIVED'}  {name}{f' ({failed})' if failed else ''}", flush=True)
        if not failed and not is_expected:
            survivors.append(name)
    print(f"{len(survivors)} survived")
    sys.exit(bool(survivors))


main()
