// Keeps a child process from outliving us, even when we are killed with -9: it is started with an IPC channel, and this
// little module, loaded into it before its program, ends it when the channel closes. The programs know nothing of it.

const guard = [
  "process.connected||process.exit(1)",
  "process.on('disconnect',()=>process.exit(1))",
  // The listener alone would keep a process alive that has nothing left to do.
  "process.channel.unref()",
];

/** For `node --import`. Without spaces and escapes, so that a list of processes stays readable. */
export const childGuardUrl = `data:text/javascript,${guard.join(";")}`;
