// Keeps the process small, by importing it: V8 would let garbage grow to several times of what lives. For programs that
// live long and mostly wait for others; the figures are in docs/benchmarks.md.
import { setFlagsFromString } from "node:v8";

/** Old objects are collected when they have grown by so much, not when they have doubled. */
setFlagsFromString("--heap-growing-percent=30");
