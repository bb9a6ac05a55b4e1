# Sourced by what runs or packs the load job: builds it if it is missing or out of date.
root=$(cd "$here/.." && pwd)
. "$root/build-tools/maven.sh"
java_bin=${JAVA_HOME:+$JAVA_HOME/bin/}java
load_classpath="$root/load/target/classes:$root/load/target/lib/*"

build_load() {
  local stamp=$root/load/target/load.built began=$root/load/target/load.began
  if [ -f "$stamp" ] && [ -z "$(find "$root"/pom.xml "$root"/{names,codecs,config,embedded,gateway,load}/{pom.xml,src/main} -newer "$stamp" -print -quit)" ]; then
    return
  fi
  mkdir -p "$root/load/target"
  touch "$began" # a source that is edited while Maven runs is newer, and is built the next time
  rm -rf "$root"/{gateway,load}/target/lib # Maven would leave the old version of a library beside the new one
  echo "sluice: building load (the first time, Maven downloads what it needs)" >&2
  (cd "$root" && maven -pl load -am package) || exit 1
  mv "$began" "$stamp"
}

# Puts into directory $1 the jars that the gateway's class path needs for the command load: what the image holds beside the gateway's own.
load_jars() {
  rm -f "$1"/*.jar
  cp "$root"/load/target/sluice-load-*.jar "$root"/load/target/lib/jfr-converter-*.jar "$1"
}
