# Starts the processes of one server in its own container, with their standard streams on named pipes, as the bridge in the
# container beside it asks. Run as: FOLDER/busybox sh FOLDER/supervisor.sh PROGRAM [ARGUMENT]...
# The server's image needs nothing for it, not even a shell: all comes with the folder, which both containers mount.
#
# From the bridge, by FOLDER/control: "reset WORD", "start ID", "stop ID SIGNAL", "reap", "bye".
# To the bridge, by FOLDER/events: "ready", "reset WORD", "made ID" once its pipes ID.in, ID.out and ID.err are there, and
# "exit ID CODE" once a process and all that it started have ended.
folder=${0%/*}
busybox=$folder/busybox
stopping=

for name in control events; do
  [ -p "$folder/$name" ] || "$busybox" mkfifo -m 600 "$folder/$name" || exit 1
done
# Opened for both directions: neither waits for the bridge, nor ends with it.
exec 3<>"$folder/control" 4<>"$folder/events"

clear_pipes() {
  "$busybox" rm -f "$folder"/*.in "$folder"/*.out "$folder"/*.err "$folder"/*.pid
}

# A process leads a group of its own unless it is still waiting for its pipes to be opened.
signal_process() {
  [ -f "$folder/$1.pid" ] && read -r pid <"$folder/$1.pid" || return 0
  kill "-$2" "-$pid" 2>/dev/null || kill "-$2" "$pid" 2>/dev/null
}

signal_all() {
  for file in "$folder"/*.pid; do
    [ -f "$file" ] || continue
    name=${file##*/}
    signal_process "${name%.pid}" "$1"
  done
}

start_process() {
  base=$folder/$1
  id=$1
  shift
  if ! "$busybox" mkfifo -m 600 "$base.in" "$base.out" "$base.err"; then
    echo "exit $id 126" >&4
    return
  fi
  (
    trap - TERM
    "$busybox" setsid "$@" <"$base.in" >"$base.out" 2>"$base.err" 3>&- 4>&- &
    child=$!
    echo "$child" >"$base.pid"
    echo "made $id" >&4
    wait "$child"
    code=$?
    kill -KILL "-$child" 2>/dev/null
    "$busybox" rm -f "$base.in" "$base.out" "$base.err" "$base.pid"
    echo "exit $id $code" >&4
  ) &
}

# The bridge is told to stop at the same time, and lets its calls end first: it says when.
trap 'stopping=yes' TERM INT
clear_pipes
echo ready >&4
while :; do
  read -r verb id word <&3 || continue
  case $id in *[!0-9a-f]*) continue ;; esac
  case $verb in
    reset)
      signal_all KILL
      echo "reset $id" >&4
      ;;
    start) [ -n "$id" ] && start_process "$id" "$@" ;;
    stop)
      case $word in TERM | KILL) signal_process "$id" "$word" ;; esac
      ;;
    bye)
      signal_all KILL
      [ -n "$stopping" ] && exit 0
      ;;
  esac
  # Takes note of those that have ended.
  jobs >/dev/null 2>&1
done
