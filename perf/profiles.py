"""Profiles of processes by perf_events, in the collapsed form that perf/flame reads: frames from the outermost on, and a count."""
import collections, os, re, shutil, subprocess, time

FREQUENCY = 1999
KERNEL = "_[k]"


def may_record():
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "true"]
    return bool(shutil.which("perf")) and subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def record(pid, name, load, directory):
    """Samples a process during a load. Writes DIRECTORY/NAME.txt, whose path is the result."""
    data = os.path.join(directory, name + ".data")
    watcher = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "-g", "-o", data, "-p", str(pid)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    load()
    watcher.send_signal(2)
    watcher.wait()
    name_methods(pid)
    counts = collections.Counter(stacks(data))
    os.remove(data)
    path = os.path.join(directory, name + ".txt")
    with open(path, "w", encoding="utf-8") as out:
        for frames, count in sorted(counts.items()):
            out.write("%s %d\n" % (";".join(frames), count))
    return path


def name_methods(pid):
    """Has a JVM write the addresses of its methods where perf looks for them; no other process."""
    program = os.path.realpath("/proc/%d/exe" % pid)
    if program.endswith("/java"):
        subprocess.run([os.path.join(os.path.dirname(program), "jcmd"), str(pid), "Compiler.perfmap"], stdout=subprocess.DEVNULL, check=False)


def stacks(data):
    script = subprocess.Popen(["perf", "script", "-i", data, "-F", "ip,sym,dso"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, errors="replace")
    frames = []
    for line in script.stdout:
        found = re.match(r"\s+[0-9a-f]+ (.*) \((.*)\)$", line.rstrip())
        if found:
            frames.append(frame(*found.groups()))
        elif frames:
            yield tuple(reversed(frames))
            frames = []
    if frames:
        yield tuple(reversed(frames))
    script.wait()


def frame(symbol, binary):
    """A Java method as async-profiler writes it, a kernel's with its mark, and a file for what has no name."""
    symbol = symbol.replace(";", ":")
    if "kernel" in binary or binary.startswith("["):
        return (symbol if symbol != "[unknown]" else binary.strip("[]")) + KERNEL
    java = re.match(r"(?:\S+ )*([\w.$/]+)\.([\w$<>]+)\(", symbol)
    if java and binary.endswith(".map"):
        return java.group(1).replace(".", "/") + "." + java.group(2)
    return os.path.basename(binary) if symbol == "[unknown]" else symbol
