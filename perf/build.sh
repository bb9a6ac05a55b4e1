# Sourced by the scripts beside it: builds what is missing or out of date.
root=$(cd "$here/.." && pwd)
java_bin=${JAVA_HOME:+$JAVA_HOME/bin/}java
perf_classpath="$root/perf/target/classes:$root/perf/target/lib/*"

# The checker lives with the gateway's tests, which use it too.
selfcheck_classpath="$root/gateway/target/test-classes:$root/perf/target/lib/*"

build_perf() {
  local stamp=$root/perf/target/perf.built
  if [ -f "$stamp" ] && [ -z "$(find "$root"/pom.xml "$root"/{codecs,config,gateway,perf}/{pom.xml,src} -newer "$stamp" -print -quit)" ]; then
    return
  fi
  (cd "$root" && mvn -B -q -DskipTests -Dspotless.check.skip=true -pl perf -am package >&2) || exit 1
  touch "$stamp"
}
