/**
 * Loaded before the gateway: from USR2 on, the embedded engine fails as WebAssembly does whose memory is damaged. The looks
 * after which the process ends come soon.
 */
import { PGlite } from '@electric-sql/pglite';
import { limits } from '../../src/core/limits.ts';

Object.assign(limits, { engineWatchMs: 500 });

process.on('SIGUSR2', () => {
  for (const name of ['execProtocol', 'execProtocolRaw', 'execProtocolRawSync', 'execProtocolStream']) {
    if (!(name in PGlite.prototype)) continue;
    Object.defineProperty(PGlite.prototype, name, {
      value: () => {
        throw new WebAssembly.RuntimeError('memory access out of bounds');
      },
    });
  }
});
