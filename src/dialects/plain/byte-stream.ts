/** An answer of bytes, passed on as they come. Its price is known from the request, or from how many there were. */
import type { Usage } from '../../core/usage.ts';
import type { Produced } from '../dialect.ts';
import type { Splitter } from '../framing.ts';
import { AroundStream, type FrameStep, type StreamPassage } from '../passage.ts';
import { NOTHING_PRODUCED } from '../produced.ts';

const END = new Uint8Array(0);

/** Each piece that arrives is a frame; an empty one says that the upstream closed as it should. */
export class ByteSplitter implements Splitter {
  readonly heldBytes = 0;

  push(chunk: Uint8Array): Uint8Array[] {
    return chunk.length > 0 ? [chunk] : [];
  }

  end(): Uint8Array[] {
    return [END];
  }
}

export class ByteStream implements StreamPassage {
  readonly usage = null;
  readonly promptUsage = null;
  readonly heldBytes = 0;
  complete = false;
  mediaBytes = 0;

  push(chunk: Uint8Array): FrameStep {
    if (chunk.length > 0) {
      this.mediaBytes += chunk.length;
      return { out: chunk, content: true, last: false, error: null, produced: NOTHING_PRODUCED };
    }
    // An answer without a single byte is none.
    this.complete = this.mediaBytes > 0;
    return { out: null, content: false, last: this.complete, error: null };
  }

  ending(): null {
    return null;
  }

  produced(): Produced {
    return NOTHING_PRODUCED;
  }
}

/** The same, of which the vendor told the usage beside its bytes. */
export class ToldStream extends AroundStream {
  constructor(
    inner: StreamPassage,
    readonly told: Usage,
  ) {
    super(inner);
  }

  override get usage(): Usage {
    return this.told;
  }

  override get promptUsage(): Usage {
    return this.told;
  }

  push(chunk: Uint8Array): FrameStep {
    return this.inner.push(chunk);
  }

  ending(): null {
    return null;
  }
}
