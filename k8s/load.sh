#!/usr/bin/env bash
# Runs the load job in a cluster: applies it, waits for it, collects what each try leaves, and ends as the driver did.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

usage() {
  cat <<'TEXT'
usage: k8s/load.sh [-n NAMESPACE] [-o DIR] [OVERLAY]
Applies OVERLAY (k8s/overlays/load), whose Job is called sluice-load, in the place of an earlier one, and waits for its end.
  -o   artifacts and logs of each try are in DIR/POD (load-artifacts)
Exit code: the driver's of the last try: 0 within budget, 1 a wrong answer or something did not start, 2 a file is wrong, 3 over budget,
           4 no try said anything. 1 also if the Job came to no end or cannot make its pod, 2 if the command line is wrong.
           KUBECTL names another kubectl.
TEXT
}
say() { echo "load: $*" >&2; }
die() { say "$*"; exit 1; }
wrong() { say "$*"; usage >&2; exit 2; }

kubectl=("${KUBECTL:-kubectl}")
namespace=()
out=load-artifacts
overlay=
while [ $# -gt 0 ]; do
  case "$1" in
    --help | -h) usage; exit 0 ;;
    -n | -o) [ $# -ge 2 ] || wrong "found $1 without a value" ;;
    -*) wrong "found $1, expected -n or -o" ;;
  esac
  case "$1" in
    -n) namespace=(-n "$2"); shift 2 ;;
    -o) out=$2; shift 2 ;;
    *) [ -z "$overlay" ] || wrong "found $1 after $overlay, expected one overlay"; overlay=$1; shift ;;
  esac
done
overlay=${overlay:-$here/overlays/load}
[ -f "$overlay/kustomization.yaml" ] || wrong "found $overlay, expected a directory with a kustomization.yaml"
command -v "${kubectl[0]}" >/dev/null || die "found no ${kubectl[0]}"
kubectl+=("${namespace[@]}")
mkdir -p "$out"

# A pod that is made before its namespace's account is there is refused.
for ((i = 0; ; i++)); do
  "${kubectl[@]}" get serviceaccount default >/dev/null 2>"$out/kubectl.err" && break
  [ $i -lt 30 ] || { cat "$out/kubectl.err" >&2; die "the namespace has no service account called default"; }
  sleep 1
done
rm -f "$out/kubectl.err"
# What has no pod of its own in the Job. An earlier one goes first: whoever is measured is of the image and the configuration of now, and has served nobody yet.
subjects=(delete deployment -l app.kubernetes.io/part-of=sluice-load --cascade=foreground)
# A Job that is there would not run again.
"${kubectl[@]}" delete job sluice-load --ignore-not-found --cascade=foreground --wait >&2
"${kubectl[@]}" "${subjects[@]}" --wait >&2
# The login that a driver elsewhere takes profiles with: nobody needs to know it. It stays, as whoever made another one before meant it to.
rendered=$("${kubectl[@]}" kustomize "$overlay")
if grep -q 'secretName: sluice-load-admin$' <<<"$rendered" && [ -z "$("${kubectl[@]}" get secret sluice-load-admin --ignore-not-found -o name)" ]; then
  password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  "${kubectl[@]}" create -f - >&2 <<TEXT
apiVersion: v1
kind: Secret
metadata:
  name: sluice-load-admin
  labels:
    app.kubernetes.io/name: sluice
    app.kubernetes.io/component: load
    app.kubernetes.io/part-of: sluice-load
type: Opaque
stringData:
  users: "load:$password"
  password: "$password"
TEXT
fi
"${kubectl[@]}" apply -k "$overlay" >&2

deadline=$("${kubectl[@]}" get job sluice-load -o 'jsonpath={.spec.activeDeadlineSeconds}')
end=$((SECONDS + ${deadline:-3600} + 120)) # the Job's own ends it before
uid=$("${kubectl[@]}" get job sluice-load -o 'jsonpath={.metadata.uid}')
collected=" "
failed=

# Pods of the Job, the last that was made last.
pods() {
  "${kubectl[@]}" get pods -l batch.kubernetes.io/job-name=sluice-load --sort-by=.metadata.creationTimestamp \
    -o 'jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}'
}

collect() {
  collected+="$1 "
  "$here/collect.sh" "${namespace[@]}" "$1" "$out/$1" || failed=yes
}

# Who waits for a node, and why: of three pods that share none, for as long as there are not three.
waiting() {
  "${kubectl[@]}" get pods -l 'app.kubernetes.io/name=sluice,app.kubernetes.io/component in (load,load-gateway,load-memcached)' \
    -o 'jsonpath={range .items[*]}{.metadata.name} waits for a node: {.status.conditions[?(@.reason=="Unschedulable")].message}{"\n"}{end}' |
    sed -n '/: ./p'
}
told=

# Why the Job makes no pod: a namespace that does not let it, a quota. An earlier Job's events are not looked at.
refused() {
  "${kubectl[@]}" get events --field-selector "involvedObject.uid=$uid,reason=FailedCreate" \
    -o 'jsonpath={range .items[*]}{.message}{"\n"}{end}' | tail -n 1
}
refusals=0

while :; do
  # Before the pods: whoever holds is there when it has not ended.
  # A question that fails is asked again: a cluster may lose its API server for a moment.
  state=$("${kubectl[@]}" get job sluice-load -o 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type} {.reason}: {.message};{end}') || state=
  there=$(pods) || there=
  for pod in $there; do
    case "$collected" in *" $pod "*) continue ;; esac
    # No log yet is no error: the sidecars may be starting.
    said=$("${kubectl[@]}" logs "$pod" -c driver 2>/dev/null) || said=
    [[ $said != *"ARTIFACTS READY"* ]] || collect "$pod"
  done
  # FailureTarget and SuccessCriteriaMet come before the end.
  case ";$state" in
    *";Complete "* | *";Failed "*) break ;;
  esac
  [ $SECONDS -lt $end ] || die "the Job came to no end"
  # Once may be a moment's; the Job itself would go on trying until its deadline.
  why=
  [ -n "$there" ] || why=$(refused) || why=
  if [ -n "$why" ]; then
    [ $refusals -gt 0 ] || say "no pod can be made: $why"
    [ $((++refusals)) -lt 5 ] || die "the Job made no pod; kubectl describe job sluice-load"
  fi
  now=$(waiting) || now=$told
  [ -z "$now" ] || [ "$now" = "$told" ] || say "$now"
  told=$now
  sleep 2
done
say "$state"

last=$(pods | tail -n 1)
[ -n "$last" ] || die "no pod is left: $state"
# What lies on a volume that stays is the last try's.
case "$collected" in *" $last "*) ;; *) collect "$last" ;; esac
"${kubectl[@]}" "${subjects[@]}" --wait=false >&2 || say "what was measured runs on"
code=$("${kubectl[@]}" get pod "$last" -o 'jsonpath={.status.containerStatuses[?(@.name=="driver")].state.terminated.exitCode}')
[ -n "$code" ] || die "the driver of $last did not end by itself: $state"
# The verdict, as the driver left it in the pod's status.
verdict=$("${kubectl[@]}" get pod "$last" -o 'jsonpath={.status.containerStatuses[?(@.name=="driver")].state.terminated.message}')
echo "$verdict"
# Who ends before there is a verdict, of a wrong file say, has told why in the log.
[ -n "$verdict" ] || [ ! -f "$out/$last/driver.log" ] || tail -n 20 "$out/$last/driver.log" >&2
say "$last ended with $code, its artifacts are in $out/$last"
[ -z "$failed" ] || [ "$code" != 0 ] || die "not everything could be collected"
exit "$code"
