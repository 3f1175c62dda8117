# Sourced: checks that Spark can run, and starts a cluster on the loopback interface.

# Needs `python`. Sets what Spark's own scripts read.
find_spark() {
    command -v java >/dev/null || {
        echo "$(basename "$0"): Spark needs Java 8, 11 or 17; on Debian: apt-get install default-jre-headless" >&2
        exit 1
    }
    SPARK_HOME=$("$python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
    export SPARK_HOME PYSPARK_PYTHON=$python PYTHONDONTWRITEBYTECODE=1
}

# start_cluster WORKERS FOLDER: a master and workers of one core each. Sets WEIR_FLEET_CLUSTER, and WEIR_FLEET_PIDS to the workers' ids.
start_cluster() {
    export SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_HOSTNAME=127.0.0.1 SPARK_DAEMON_MEMORY=256m
    cluster_pids=() WEIR_FLEET_PIDS=
    "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0 \
        >"$2/master.log" 2>&1 &
    cluster_pids+=($!)
    await 'Starting Spark master at' "$2/master.log" "the master"
    WEIR_FLEET_CLUSTER=$(sed -n 's/.*Starting Spark master at //p' "$2/master.log")
    for number in $(seq "$1"); do
        "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --webui-port 0 --cores 1 \
            --memory 1g --work-dir "$2/worker-$number" "$WEIR_FLEET_CLUSTER" >"$2/worker-$number.log" 2>&1 &
        cluster_pids+=($!)
        WEIR_FLEET_PIDS+=" $!"
        await 'Successfully registered with master' "$2/worker-$number.log" "worker $number"
    done
    export WEIR_FLEET_CLUSTER WEIR_FLEET_PIDS
}

await() {
    for _ in $(seq 600); do
        grep -q "$1" "$2" && return
        kill -0 $! 2>/dev/null || break
        sleep 0.1
    done
    echo "$(basename "$0"): $3 of the Spark cluster did not start; the end of its log:" >&2
    tail -n 20 "$2" >&2
    exit 1
}

# A worker that is terminated ends its executors.
stop_cluster() {
    [ ${#cluster_pids[@]} -eq 0 ] && return
    kill "${cluster_pids[@]}" 2>/dev/null || true
    wait "${cluster_pids[@]}" 2>/dev/null || true
    cluster_pids=()
}
cluster_pids=()
