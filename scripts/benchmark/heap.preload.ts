/**
 * Loaded into a server under measurement before its own code: tells on a socket of the benchmark's how many bytes are
 * alive on its heap once everything dead is gone, and how many of them are buffers beside the objects. The product itself has no such call.
 */
import { heapStats } from 'bun:jsc';

const { BENCH_HEAP_SOCKET: unix } = process.env;
if (unix) {
  const server = Bun.serve({
    unix,
    fetch() {
      Bun.gc(true);
      const { heapSize, extraMemorySize } = heapStats();
      return Response.json({ all: heapSize, beside: extraMemorySize });
    },
  });
  server.unref();
}
