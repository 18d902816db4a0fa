// Keeps a child process from outliving us, even when we are killed with -9: it is started with an IPC channel, and this
// little module, loaded into it before its program, ends it when the channel closes. The programs know nothing of it.

// Not process.exit: it waits for Node's own threads, and was once seen to wait for ever.
const end = "process.kill(process.pid,'SIGKILL')";
const guard = [
  `process.connected||${end}`,
  `process.on('disconnect',()=>${end})`,
  // The listener alone would keep a process alive that has nothing left to do.
  "process.channel.unref()",
];

/** For `node --import`. Without spaces and escapes, so that a list of processes stays readable. */
export const childGuardUrl = `data:text/javascript,${guard.join(";")}`;
