// The events of a trace, from base 64 and 'deflate' back to one typed array for each column.

/** Bytes of base 64. */
function decoded(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
    return bytes;
}

async function decompressed(bytes, length) {
    if (typeof DecompressionStream === "undefined") {
        throw new Error("This browser cannot decompress data (DecompressionStream); open the page in a current one.");
    }
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const result = new Uint8Array(length);
    let place = 0;
    const reader = stream.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return result;
        if (place + value.length > length) throw new Error("The events of this page are damaged; make it again.");
        result.set(value, place);
        place += value.length;
    }
}

/** Varints with seven bits a byte, the lowest first. */
function varints(bytes, start, size, target) {
    // Most columns hold small numbers only: one byte each.
    if (size === target.length) return target.set(bytes.subarray(start, start + size));
    let place = start;
    for (let row = 0; row < target.length; row++) {
        let byte = bytes[place++];
        if (byte < 128) {
            target[row] = byte;
            continue;
        }
        let [value, factor] = [byte & 127, 128];
        do {
            byte = bytes[place++];
            value += (byte & 127) * factor;
            factor *= 128;
        } while (byte >= 128);
        target[row] = value;
    }
}

const types = {
    kind: Uint8Array, flags: Uint8Array, reason: Uint8Array, thread: Int32Array, sequence: Float64Array,
    time: Float64Array, subject: Float64Array, cause: Int32Array, depth: Int32Array, count: Float64Array,
    form: Uint8Array, payload: Float64Array,
};

const unzigzag = (number) => (number % 2 === 0 ? number / 2 : -(number + 1) / 2);

/** The columns of `rows` events; sequence numbers, times and causes as they are, not as differences. */
export async function readColumns(text, parts, length, rows) {
    const bytes = await decompressed(decoded(text), length);
    const columns = {};
    let start = 0;
    for (const [name, size] of Object.entries(parts)) {
        const Type = types[name];
        const column = new Type(rows);
        if (Type === Uint8Array) column.set(bytes.subarray(start, start + rows));
        else varints(bytes, start, size, column);
        columns[name] = column;
        start += size;
    }
    addUp(columns, rows);
    return columns;
}

/** Differences become sums: sequence numbers within a thread, times within the trace, causes as rows. */
function addUp({ thread, sequence, time, cause }, rows) {
    const last = [];
    let now = 0;
    for (let row = 0; row < rows; row++) {
        const index = thread[row];
        while (last.length <= index) last.push(0);
        last[index] += 1 + (sequence[row] === 0 ? 0 : unzigzag(sequence[row]));
        sequence[row] = last[index];
        now += time[row];
        time[row] = now;
        cause[row] = cause[row] === 0 ? -1 : row - cause[row];
    }
}
