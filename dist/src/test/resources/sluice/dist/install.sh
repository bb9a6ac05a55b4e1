# Installs the package $1 over the files of this machine, in the mount and network namespaces that this script is run in, starts
# what its unit names, reloads, upgrades and removes it. $2 is an empty directory. Exit code 77: it is not possible here.
set -euo pipefail

if [ "$1" != inside ]; then
  mount -t tmpfs tmpfs "$2" && mkdir "$2"/{upper,work,root} || exit 77
  root=$2/root
  mount -t overlay overlay -o "lowerdir=/,upperdir=$2/upper,workdir=$2/work" "$root" || exit 77
  for each in proc dev; do mount --rbind "/$each" "$root/$each"; done
  for each in tmp run; do mount -t tmpfs tmpfs "$root/$each"; done
  ip link set lo up
  cp "$1" "$root/tmp/sluice.deb"
  cp "$0" "$root/tmp/install.sh"
  exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash /tmp/install.sh inside
fi

pid=
fail() { echo "FAILED: $*"; cat /tmp/log 2>/dev/null || true; exit 1; }
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true' EXIT

unit() { sed -n "s/^$1=//p" /usr/lib/systemd/system/sluice.service; }
# As systemd starts it: the user without any right of root. The file systems are as they are. Takes the place of the shell.
as_service() {
  exec setpriv --reuid="$(unit User)" --regid="$(unit Group)" --clear-groups --no-new-privs --bounding-set=-all \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin "$@"
}
install() { dpkg --no-triggers --force-depends -i /tmp/sluice.deb >/tmp/dpkg.log 2>&1 || fail "dpkg -i: $(cat /tmp/dpkg.log)"; }

ask() { # PORT: whether a get is answered there
  { exec 5<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null || return 1
  printf 'set a 0 0 5\r\nhello\r\nget a\r\nquit\r\n' >&5
  [ "$(cat <&5)" = $'STORED\r\nVALUE a 0 5\r\nhello\r\nEND\r' ]
}
await() { # PORT
  for i in $(seq 900); do
    ask "$1" && return
    kill -0 "$pid" 2>/dev/null || fail "the gateway ended"
    sleep 0.1
  done
  fail "port $1 gives no answer"
}
reload() {
  local line
  unit ExecReload >/tmp/reload
  while read -r line <&6; do
    (as_service ${line//\$MAINPID/$pid}) >/tmp/reload.log 2>&1 || return 1
  done 6</tmp/reload
}

install
getent passwd sluice >/dev/null || fail "there is no user sluice"
[ "$(stat -c '%U:%G %a' /etc/sluice)" = "root:sluice 750" ] || fail "/etc/sluice: $(stat -c '%U:%G %a' /etc/sluice)"
[ -L /etc/systemd/system/multi-user.target.wants/sluice.service ] || fail "the service is not enabled"
if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify --man=no /usr/lib/systemd/system/sluice.service >/tmp/verify 2>&1 || fail "the unit: $(cat /tmp/verify)"
  ! grep sluice.service /tmp/verify || fail "the unit is not right"
fi
[ "$(unit RestartSec)" -ge 2 ] || fail "a gateway that cannot bind is started again after '$(unit RestartSec)' s"
[ "$(unit StartLimitIntervalSec)" = 0 ] || fail "systemd gives up after some starts within '$(unit StartLimitIntervalSec)' s"

as_service $(unit ExecStart) >/tmp/log 2>&1 &
pid=$!
await 11211
[ "$(stat -c %U "/proc/$pid")" = sluice ] || fail "the user is $(stat -c %U "/proc/$pid")"
ask 11212 && fail "port 11212 answers too early"

sed -i 's/^listeners:$/&\n  second: {bind: "127.0.0.1:11212", route: cache}/' /etc/sluice/sluice.yaml
reload || fail "reload: $(cat /tmp/reload.log)"
await 11212

install # an upgrade leaves the changed configuration as it is
grep -q second: /etc/sluice/sluice.yaml || fail "the changed configuration is lost"

cp /etc/sluice/sluice.yaml /tmp/right.yaml
sed -i 's/^    route: cache$/    route: cash/' /etc/sluice/sluice.yaml
! reload || fail "a wrong configuration was reloaded"
grep -q 'did you mean\|expected' /tmp/reload.log || fail "reload: $(cat /tmp/reload.log)"
await 11211
cat /tmp/right.yaml >/etc/sluice/sluice.yaml

kill "$pid"
code=0
wait "$pid" || code=$?
pid=
[ "$code" = 0 ] || fail "the gateway ended with $code"

dpkg --no-triggers -r sluice >/tmp/dpkg.log 2>&1 || fail "dpkg -r: $(cat /tmp/dpkg.log)"
[ ! -e /usr/bin/sluice ] && [ ! -e /usr/share/sluice ] || fail "the program is still there"
[ -e /etc/sluice/sluice.yaml ] || fail "the configuration is gone before it is purged"
dpkg --no-triggers --purge sluice >/tmp/dpkg.log 2>&1 || fail "dpkg --purge: $(cat /tmp/dpkg.log)"
[ ! -e /etc/sluice ] && [ ! -e /etc/default/sluice ] || fail "there are still files in /etc"
[ ! -e /etc/systemd/system/multi-user.target.wants/sluice.service ] || fail "the service is still enabled"
echo "all steps passed"
