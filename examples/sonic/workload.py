#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for an AI video generator, which knows what system calls it makes.

Like the program of the article it has stages: it decodes audio (many small reads), maps model
weights, lets producer and consumer threads hand frames over under one contended lock, and writes the
video. Unlike it, it counts: in its phase it makes only the read, write, openat, close and mmap
calls that it reports, so that a tracer's counts can be compared with its own for equality.

    workload.py                                       run for a minute: something to look at
    workload.py --frames 200                          make one video, print the report
    workload.py --seconds 30 --fps 100                make videos for so long, at that pace
    workload.py --state DIR --report FILE --frames N  step by step, for tests:
        DIR/ready appears    attach a tracer now; the process sleeps in sigwait
        send SIGUSR1         the phase begins
        DIR/done appears     the phase is over; the process sleeps again: detach
        send SIGUSR1         FILE is written, the process exits

How the numbers stay exact. Memory: the interpreter is started anew with PYTHONMALLOC=malloc and a
malloc that only uses brk, so no allocation is an mmap. Threads exist before the phase and end after
it. Files and their calls go through os.read and friends, which are one system call each. Signals are
blocked in all threads, so no call is interrupted and repeated. Markers are directories, made by mkdir.
A warm-up has loaded and bound everything. Futexes are the interpreter's own business (the lock
and the GIL); `futex_marked` of them are made here, with FUTEX_MARK as the number to wake, and there
are never fewer than `futex_at_least` altogether.
"""

import argparse
import ctypes
import gc
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import threading
import time

FUTEX_MARK = 77777
FUTEX_WAKE_PRIVATE = 1 | 128
SYS_FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine())
CHUNK = 4096  # of audio
CHUNKS = 16  # of an audio file
FRAME = 16384  # bytes of a frame
WEIGHTS = 8  # files
SHARED_READS = 4  # of each producer and frame, from one descriptor that all producers share
KEYS = ("read", "write", "openat", "close", "mmap", "futex_marked", "bytes_read", "bytes_written")

QUIET = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TOP_PAD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "PYTHONHASHSEED": "0",
}

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.syscall.restype = ctypes.c_long
libc.syscall.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p,
                         ctypes.c_void_p, ctypes.c_int]


class Calls:
    """The system calls of one thread, and how many of each it made."""

    def __init__(self):
        self.word = ctypes.c_int(0)
        self.reset()

    def reset(self):
        self.n = dict.fromkeys(KEYS, 0)

    def open(self, path, flags=os.O_RDONLY):
        fd = os.open(path, flags, 0o600)
        self.n["openat"] += 1
        return fd

    def close(self, fd):
        os.close(fd)
        self.n["close"] += 1

    def read(self, fd, size):
        data = os.read(fd, size)
        self.n["read"] += 1
        self.n["bytes_read"] += len(data)
        return data

    def write(self, fd, data):
        done = os.write(fd, data)
        self.n["write"] += 1
        self.n["bytes_written"] += done
        return done

    def map_and_unmap(self, fd, size):
        addr = libc.mmap(None, size, 1, 2, fd, 0)  # PROT_READ, MAP_PRIVATE
        if addr is None or addr == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "mmap")
        self.n["mmap"] += 1
        first = ctypes.string_at(addr, 1)
        libc.munmap(addr, size)
        return first

    def futex(self):
        if SYS_FUTEX is None:
            return
        libc.syscall(SYS_FUTEX, ctypes.addressof(self.word), FUTEX_WAKE_PRIVATE, FUTEX_MARK, None,
                     None, 0)
        self.n["futex_marked"] += 1


class Pipeline:
    """The stages; every worker thread runs `work` once for each phase that is announced."""

    def __init__(self, folder, producers, consumers):
        self.audio = os.path.join(folder, "speech.wav")
        self.weights = [os.path.join(folder, "model-%d.pt" % i) for i in range(WEIGHTS)]
        self.video = os.path.join(folder, "video.mp4")
        self.producers, self.consumers = producers, consumers
        self.frames, self.fps, self.stopping = 0, 0, False
        self.shared_fd = -1
        self.begin = threading.Barrier(producers + consumers + 1)
        self.end = threading.Barrier(producers + consumers + 1)
        self.lock = threading.Lock()  # the lock that everything fights for
        self.queue, self.made, self.taken = [], 0, 0
        self.calls = [Calls() for _ in range(producers + consumers + 1)]  # the last is main's
        self.payload = b"f" * FRAME
        self.make_files()
        self.threads = []
        for i in range(producers + consumers):
            name = "produce-%d" % i if i < producers else "consume-%d" % (i - producers)
            self.threads.append(threading.Thread(target=self.worker, args=(i,), name=name, daemon=True))
        for thread in self.threads:
            thread.start()

    def make_files(self):
        with open(self.audio, "wb") as f:
            f.write(b"a" * (CHUNK * CHUNKS))
        for i, path in enumerate(self.weights):
            with open(path, "wb") as f:
                f.truncate((i + 1) << 20)

    def worker(self, index):
        calls = self.calls[index]
        work = self.produce if index < self.producers else self.consume
        while True:
            self.begin.wait()
            if self.stopping:
                return
            work(calls)
            self.end.wait()

    def next_frame(self):
        with self.lock:
            if self.made >= self.frames:
                return -1
            self.made += 1
            return self.made - 1

    def produce(self, calls):
        while self.next_frame() >= 0:
            for _ in range(SHARED_READS):
                calls.read(self.shared_fd, FRAME)
            if self.fps:
                time.sleep(self.producers / self.fps)
            with self.lock:  # held over a system call, as bad programs do
                calls.futex()
                self.queue.append(self.payload)

    def take(self):
        """A frame, None when there is none yet, False when there will be none."""
        with self.lock:
            if self.queue:
                self.taken += 1
                return self.queue.pop()
            return False if self.taken >= self.frames else None

    def consume(self, calls):
        fd = calls.open(self.video, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        while True:
            frame = self.take()
            if frame is False:
                break
            if frame is None:
                time.sleep(0.0005)
                continue
            calls.write(fd, frame[: FRAME // 2])
            calls.write(fd, frame[FRAME // 2 :])
        calls.close(fd)

    def decode_audio(self, calls):
        fd = calls.open(self.audio)
        while calls.read(fd, CHUNK):
            pass
        calls.close(fd)

    def load_weights(self, calls):
        for i, path in enumerate(self.weights):
            fd = calls.open(path)
            calls.map_and_unmap(fd, (i + 1) << 20)
            calls.close(fd)

    def phase(self, frames, fps):
        """One video. Everything that it calls is counted."""
        main = self.calls[-1]
        self.frames, self.fps, self.made, self.taken = frames, fps, 0, 0
        self.decode_audio(main)
        self.load_weights(main)
        self.shared_fd = main.open(self.weights[-1])
        os.lseek(self.shared_fd, 0, os.SEEK_SET)
        self.begin.wait()
        self.end.wait()
        main.close(self.shared_fd)
        main.open(self.video, os.O_WRONLY | os.O_TRUNC)
        main.close(self.shared_fd)

    def stop(self):
        self.stopping = True
        self.begin.wait()
        for thread in self.threads:
            thread.join()

    def totals(self):
        return {key: sum(calls.n[key] for calls in self.calls) for key in KEYS}


def restart_quietly():
    if all(os.environ.get(k) == v for k, v in QUIET.items()):
        return
    os.execve(sys.executable, [sys.executable] + sys.argv, dict(os.environ, **QUIET))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--frames", type=int, default=200, help="frames of a video")
    parser.add_argument("--fps", type=float, default=0, help="pace; 0: as fast as it goes")
    parser.add_argument("--seconds", type=float, default=0, help="make videos for so long")
    parser.add_argument("--producers", type=int, default=3)
    parser.add_argument("--consumers", type=int, default=2)
    parser.add_argument("--state", help="folder for the markers; wait for SIGUSR1")
    parser.add_argument("--report", help="write the numbers to this file as JSON")
    parser.add_argument("--tmp", help="where the files of the videos go")
    return parser.parse_args(sys.argv[1:] or ["--seconds", "60", "--fps", "100"])


def mark(args, name):
    if args.state:
        os.mkdir(os.path.join(args.state, name))


def wait_for_signal(args):
    if args.state:
        signal.sigwait({signal.SIGUSR1})


def run(args, folder):
    pipeline = Pipeline(folder, args.producers, args.consumers)
    pipeline.phase(min(args.frames, 20), 0)  # warm-up
    for calls in pipeline.calls:
        calls.reset()
    videos = 0
    gc.collect()
    gc.disable()
    mark(args, "ready")
    wait_for_signal(args)
    end = time.monotonic() + args.seconds
    while not videos or time.monotonic() < end:
        pipeline.phase(args.frames, args.fps)
        videos += 1
    mark(args, "done")
    wait_for_signal(args)
    pipeline.stop()
    report = {"pid": os.getpid(), "videos": videos, "frames": videos * args.frames}
    report.update(pipeline.totals())
    report["futex_at_least"] = report["futex_marked"]
    return report


def main():
    restart_quietly()
    args = arguments()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the files go
    folder = tempfile.mkdtemp(prefix="sonic-", dir=args.tmp)
    try:
        report = run(args, folder)
    finally:
        shutil.rmtree(folder)
    text = json.dumps(report, indent=2)
    print(text)
    if args.report:
        with open(args.report, "w") as f:
            f.write(text + "\n")


if __name__ == "__main__":
    main()
