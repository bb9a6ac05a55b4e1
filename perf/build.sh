# Sourced by the scripts beside it: builds what is missing or out of date.
root=$(cd "$here/.." && pwd)
. "$root/build-tools/maven.sh"
java_bin=${JAVA_HOME:+$JAVA_HOME/bin/}java
perf_classpath="$root/perf/target/classes:$root/perf/target/lib/*"

build_perf() {
  local stamp=$root/perf/target/perf.built
  if [ -f "$stamp" ] && [ -z "$(find "$root"/pom.xml "$root"/{names,codecs,config,embedded,gateway,testkit,load,perf}/{pom.xml,src} -newer "$stamp" -print -quit)" ]; then
    return
  fi
  rm -rf "$root"/{gateway,load,perf}/target/lib # Maven would leave the old version of a library beside the new one
  echo "sluice: building perf (the first time, Maven downloads what it needs)" >&2
  (cd "$root" && maven -pl perf -am package) || exit 1
  touch "$stamp"
}

# Benchmarks beside Cassandra, Ignite or Kafka: modules of their own, each in a profile, which nothing else builds.
build_beside() {
  local profile=$1 module=$2
  local stamp=$root/perf/$module/target/perf.built
  if [ -f "$stamp" ] && [ -z "$(find "$root"/pom.xml "$root"/{names,codecs}/{pom.xml,src} "$root/perf/$module"/{pom.xml,src} -newer "$stamp" -print -quit)" ]; then
    return
  fi
  (cd "$root" && maven -Dforbiddenapis.skip=true "-P$profile" -pl "perf/$module" -am package) || exit 1
  touch "$stamp"
}

# What Cassandra needs of the JDK, and no leak detection on either side.
cassandra_flags=(
  -Xmx512m -Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener
  -Dio.netty.leakDetection.level=disabled -Dio.netty.allocator.lowMemory=false
  --add-exports=java.base/{jdk.internal.misc,java.lang.ref,sun.nio.ch}=ALL-UNNAMED
  --add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED
  --add-opens=java.base/{java.lang,java.lang.reflect,java.io,java.nio,sun.nio.ch,jdk.internal.ref,jdk.internal.reflect}=ALL-UNNAMED
)

# The same for Ignite.
ignite_flags=(
  -Xmx512m -Dio.netty.leakDetection.level=disabled -Dio.netty.allocator.lowMemory=false
  --add-opens=java.base/{java.nio,java.util,java.lang,java.io}=ALL-UNNAMED
)

kafka_flags=(-Xmx512m -Dio.netty.leakDetection.level=disabled -Dio.netty.allocator.lowMemory=false)
