/** A request whose body comes from the network in chunks of one byte. */
import { connect } from 'node:net';

export async function byteByByte<T>(
  body: string,
  type: string,
  read: (request: Request) => Promise<T>,
): Promise<T> {
  const was = Promise.withResolvers<T>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await read(request).then(was.resolve, was.reject);
      return new Response();
    },
  });
  const socket = connect(Number(server.port), '127.0.0.1');
  try {
    const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`;
    socket.write(`${head}${body.replaceAll(/./gs, '1\r\n$&\r\n')}0\r\n\r\n`);
    return await was.promise;
  } finally {
    socket.destroy();
    await server.stop(true);
  }
}
