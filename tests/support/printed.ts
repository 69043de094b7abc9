/** Hears what the process prints, logs included, until it is stopped. */
import { spyOn } from 'bun:test';

export interface Printed {
  readonly text: string;
  clear(): void;
  /** Gives the streams back as they were. */
  stop(): void;
}

export function listenToOutput(): Printed {
  let text = '';
  const spies = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream);
    return spyOn(stream, 'write').mockImplementation((chunk: string | Uint8Array) => {
      text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
      return write(chunk);
    });
  });
  return {
    get text() {
      return text;
    },
    clear() {
      text = '';
    },
    stop() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
