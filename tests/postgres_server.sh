# postgres_server.sh - start and stop a PostgreSQL server for tests and benchmarks. Sourced by them.
#
# start_server FOLDER: makes a cluster in FOLDER, an empty folder, and starts its server, which listens on
# a socket in FOLDER/socket only and runs as an unprivileged user. The role `admin` has the password
# `admin-secret`. Fails, with the reason in server_reason, if that is not possible. Sets PGHOST, PGUSER
# and PGDATABASE; the password is in the file that PGPASSFILE names. The folders above FOLDER must be open
# to all users.
# stop_server: stops it at once. server ACTION...: calls pg_ctl.

# as_server COMMAND...: runs the command as the user of the server; root may not run one
as_server() {
    if [ "$(id -u)" != 0 ]; then
        "$@"
    elif id postgres >/dev/null 2>&1; then
        setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups "$@"
    else
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    fi
}

server() { (cd / && as_server "$server_bin/pg_ctl" -D "$server_folder/data" -w -t 60 "$@" >/dev/null 2>&1); }

start_server() {
    server_folder=$1
    server_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
    [ -x "$server_bin/initdb" ] || server_bin=$(dirname "$(command -v initdb)" 2>/dev/null)
    [ -x "$server_bin/initdb" ] && command -v psql >/dev/null ||
        { server_reason="PostgreSQL's server and psql are absent: tools/deps postgres installs them"; return 1; }
    [ "$(id -u)" != 0 ] || command -v setpriv >/dev/null || { server_reason="setpriv is absent"; return 1; }
    chmod 755 "$server_folder"
    mkdir "$server_folder/data" "$server_folder/socket"
    echo admin-secret >"$server_folder/password"
    chmod 644 "$server_folder/password"
    if [ "$(id -u)" = 0 ]; then
        local user=65534
        ! id postgres >/dev/null 2>&1 || user=postgres
        chown "$user" "$server_folder/data" "$server_folder/socket"
    fi
    chmod 700 "$server_folder/data"
    (cd / && as_server "$server_bin/initdb" -D "$server_folder/data" -U admin -A scram-sha-256 -E UTF8 \
        --locale=C.UTF-8 --no-sync --pwfile="$server_folder/password" >"$server_folder/log" 2>&1) ||
        { server_reason="initdb failed: $(tail -3 "$server_folder/log")"; return 1; }
    cat >>"$server_folder/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$server_folder/socket'
fsync = off
max_connections = 40
logging_collector = off
CONF
    server -l "$server_folder/data/log" start || { server_reason="the server did not start: $(tail -3 "$server_folder/data/log")"; return 1; }
    echo "*:*:*:admin:admin-secret" >"$server_folder/passfile"
    chmod 600 "$server_folder/passfile"
    export PGHOST=$server_folder/socket PGUSER=admin PGDATABASE=postgres PGPASSFILE=$server_folder/passfile
    unset PGPASSWORD PGSERVICE PGPORT PGOPTIONS
}

stop_server() { [ -z "${server_folder:-}" ] || [ ! -e "$server_folder/data/postmaster.pid" ] || server -m immediate stop; }
