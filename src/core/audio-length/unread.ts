/** What decoders know as sound and is not walked here: how long it lasts nobody can tell from outside. */
import type { MeasuringBudget } from '../measuring-budget.ts';
import type { Feed } from './feed.ts';

/** First words of files: other forms of WAVE, Apple's and Sun's, and those of packers and of telephones. */
const WORDS =
  /^(RIFX|BW64|riff|caff|\.snd|wvpk|TTA[12]|MAC |MPCK|MP\+|OFR |ajkg|DSD |FRM8|ADIF|Creative V|NIST_1|#!(SILK|EV)|\xc0\xde\xc2)/;
const WORD_MOST = 10;

export const isUnread = (feed: Feed): boolean => WORDS.test(feed.word(0, WORD_MOST));

/** Packets of MPEG-TS, as they are, with a time before them and with a sum behind; each begins with the same byte. */
const PACKETS: readonly number[] = [188, 192, 204];
const SYNC = 0x47;
/** Of MPEG-PS each pack begins so. */
const PACK = [Buffer.from('000001ba', 'hex')];

/** Decoders look for both at once with the frames of sound, in more and more of a file. */
const LEAST_LOOKED = 2048;
export const MOST_LOOKED = 32_768;
/** They take for packets what has so many of those that it could have. */
const OFTEN = 0.6;
/** So many bytes that may begin one take as long as a mark. */
const SYNCS_A_MARK = 16;

/** Whether a file looks like a stream of MPEG, behind whatever else it looks like. */
export function* isStream(feed: Feed): Generator<void, boolean> {
  yield* feed.need(MOST_LOOKED);
  if (feed.holds(PACK, MOST_LOOKED)) return true;
  const bytes = feed.bytes(0, MOST_LOOKED);
  for (let looked = LEAST_LOOKED; looked <= bytes.length; looked *= 2)
    if (PACKETS.some((size) => hasPackets(bytes.subarray(0, looked), size, feed.budget))) return true;
  return false;
}

function hasPackets(bytes: Buffer, size: number, budget: MeasuringBudget): boolean {
  const least = OFTEN * Math.floor(bytes.length / size);
  const often = new Uint16Array(size);
  let syncs = 0;
  for (let at = bytes.indexOf(SYNC); at >= 0; at = bytes.indexOf(SYNC, at + 1)) {
    if (++syncs % SYNCS_A_MARK === 0) budget.spend(1);
    const count = (often[at % size] ?? 0) + 1;
    often[at % size] = count;
    if (count >= least) return true;
  }
  return false;
}
