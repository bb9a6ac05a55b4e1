# Sourced by the scripts that run a program of this module: builds what is missing or out of date.
ring=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# run_ring CLASS [ARGUMENT...]: with the nodes' jars of the release SLUICE_CASSANDRA, 5.0 if that is not set
run_ring() {
  local root stamp cassandra
  root=$(dirname "$ring")
  stamp=$ring/target/ring.built
  if [ ! -f "$stamp" ] || [ -n "$(find "$root"/pom.xml "$root"/{names,codecs,config,embedded,gateway,testkit,ring}/{pom.xml,src} -newer "$stamp" -print -quit)" ]; then
    (cd "$root" && mvn -B -q -DskipTests -pl ring -am package \
      dependency:build-classpath -Dmdep.outputFile="$ring/target/ring.classpath" >&2) || return 1
    touch "$stamp"
  fi
  cassandra=$("$root/build-tools/cassandra" "${SLUICE_CASSANDRA:-5.0}") || return 1
  cd "$ring" || return 1
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" "-Dsluice.ring.cassandra=$cassandra" \
    -cp "$ring/target/test-classes:$(cat "$ring/target/ring.classpath")" "$@"
}
