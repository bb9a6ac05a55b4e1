"""Starts and stops the processes that are measured, and says how far rounds lie apart."""
import os, signal, socket, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
CLASSES = "%s/perf/target/classes:%s/perf/target/lib/*" % (ROOT, ROOT)
started = []
own_core = shared_core = None  # sets of one processor, or None: wherever the kernel likes


def on(cores):
    """For Popen: what it starts runs there."""
    return {"preexec_fn": lambda: os.sched_setaffinity(0, cores)} if cores else {}


def place(wanted):
    """The generator has a processor of its own; the proxy and its server share another."""
    global own_core, shared_core
    cores = sorted(os.sched_getaffinity(0))
    if wanted == "free":
        return "free: the kernel places generator, proxies and memcached"
    if len(cores) < 2:
        fail("found one processor, expected two, or --cores free")
    own_core, shared_core = {cores[-1]}, {cores[0]}
    return "apart: the generator on processor %d, proxies and memcached on %d" % (cores[-1], cores[0])


def fail(message):
    print(os.path.basename(sys.argv[0]) + ": " + message, file=sys.stderr)
    sys.exit(1)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(arguments, log, port, environment=None, asked=b"get ready\r\n", answer=b"END\r\n"):
    """Starts one process and waits until it answers on port, as memcached does unless something else is said."""
    with open(log, "wb") as out:
        process = subprocess.Popen(arguments, stdout=out, stderr=subprocess.STDOUT,
                                   env={**os.environ, **(environment or {})}, **on(shared_core))
    started.append(process)
    for _ in range(600):
        if process.poll() is not None:
            break
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as s:
                s.settimeout(2)
                s.sendall(asked)
                if s.recv(16) == answer:
                    return process
        except OSError:
            pass
        time.sleep(0.2)
    with open(log, errors="replace") as text:
        fail("%s did not answer on port %d:\n%s" % (arguments[0], port, text.read()[-2000:]))


def stop():
    for process in reversed(started):
        process.send_signal(signal.SIGTERM)
    for process in started:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def version(*command):
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return result.stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return "not found"


def median(rows, field):
    return statistics.median(row[field] for row in rows)


def span(rows, field, digits):
    values = [row[field] for row in rows]
    return "%.*f (%.*f-%.*f)" % (digits, statistics.median(values), digits, min(values), digits, max(values))


def java():
    return os.path.join(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"


def build():
    """What is measured, as it is in this tree."""
    command = 'here=%s; . "$here/build.sh"; build_perf' % HERE
    if subprocess.run(["bash", "-c", command], check=False).returncode != 0:
        fail("the build failed")
    # The launcher's copy as well: started on the shared core, it would be built there while the test of its port times out.
    if subprocess.run([os.path.join(ROOT, "sluice"), "schema"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        fail("the build of the launcher's copy failed")
