/** A name server of a test's own, by UDP and, for long answers, by TCP. */
import net, { type AddressInfo } from 'node:net';

export interface DnsServer {
  /** As `setServers` takes it. */
  readonly address: string;
  /** Names that were asked for, by either type. */
  readonly asked: string[];
  close(): void;
}

interface NameOf {
  v4?: string[];
  v6?: string[];
  /** The name that it is another one for. */
  alias?: string;
}

/** `find` says what a name has: null for one that is not there, 'silent' for one that nobody answers for. */
export async function startDnsServer(find: (name: string) => NameOf | null | 'silent'): Promise<DnsServer> {
  const asked: string[] = [];
  const answer = (query: Buffer, most: number): Buffer | null => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const found = find(name);
    if (found === 'silent') return null;
    const records: Buffer[] = [];
    if (found?.alias !== undefined) records.push(record(POINTER, CNAME, encoded(found.alias)));
    const owner = found?.alias === undefined ? POINTER : encoded(found.alias);
    const own = type === A ? found?.v4?.map(bytesOfV4) : type === AAAA ? found?.v6?.map(bytesOfV6) : [];
    for (const address of own ?? []) records.push(record(owner, type, address));
    const isLong = records.length > most;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (found ? 0 : NO_SUCH_NAME) | (isLong ? TRUNCATED : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(isLong ? 0 : records.length, 6);
    return Buffer.concat([head, query.subarray(12, end), ...(isLong ? [] : records)]);
  };

  const tcp = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => {
      for (let at = 0; at + 2 <= data.length; at += 2 + data.readUInt16BE(at)) {
        const said = answer(data.subarray(at + 2, at + 2 + data.readUInt16BE(at)), Number.POSITIVE_INFINITY);
        if (said) socket.write(Buffer.concat([uint16(said.length), said]));
      }
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = await Bun.udpSocket({
    port,
    hostname: '127.0.0.1',
    socket: {
      data(socket, data, from, address) {
        const said = answer(Buffer.from(data), 20);
        if (said) socket.send(said, from, address);
      },
    },
  });
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close() {
      udp.close();
      tcp.close();
    },
  };
}

const [A, CNAME, AAAA] = [1, 5, 28];
const NO_SUCH_NAME = 3;
const TRUNCATED = 0x200;
const HOUR_SEC = 3_600;
/** The name of the question. */
const POINTER = Buffer.from([0xc0, 12]);

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const encoded = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.alloc(1),
  ]);
const bytesOfV4 = (address: string): Buffer => Buffer.from(address.split('.').map(Number));
/** Written in full. */
const bytesOfV6 = (address: string): Buffer =>
  Buffer.concat(address.split(':').map((group) => uint16(Number.parseInt(group, 16))));

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(HOUR_SEC);
  return Buffer.concat([owner, uint16(type), uint16(1), ttl, uint16(data.length), data]);
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
