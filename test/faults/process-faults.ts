// What befalls a process from the inside, loaded into it with `--import`: a wall clock that is wrong by
// FAULT_CLOCK_SHIFT_MS (monotonic clocks are untouched, as on a real machine), and on SIGUSR2 an event loop that stands
// still for FAULT_STALL_MS, as in a long synchronous computation.

const shiftMs = Number(process.env["FAULT_CLOCK_SHIFT_MS"] ?? 0);
const stallMs = Number(process.env["FAULT_STALL_MS"] ?? 0);

if (shiftMs !== 0) {
  const real = Date;
  globalThis.Date = new Proxy(real, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [target.now()] : values, newTarget),
    apply: (target) => new target(target.now()).toString(),
  });
  const now = real.now.bind(real);
  real.now = () => now() + shiftMs;
}

if (stallMs !== 0) {
  process.on("SIGUSR2", () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs);
  });
}
