/**
 * Fetches what requests name by address, for upstreams that take bytes only. Callers write these addresses: nothing
 * private is reached.
 */

import { CallersMap } from '../../../core/callers-keys.ts';
import { AppError, fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { shareOfUser } from '../../../core/share.ts';
import type { Text } from '../../../core/text.ts';
import type { LoadMedia } from '../../../dialects/inline-media.ts';
import { typeOfName } from '../../../dialects/media.ts';
import { type MediaPlace, NOT_FETCHED } from '../../../dialects/media-kind.ts';
import type { HeldBytes } from '../../../platform/body-budget.ts';
import { turnSubject } from '../../../platform/limiter.ts';
import type { Asker } from '../../../platform/names.ts';
import { OutgoingError } from '../../../platform/outgoing.ts';
import { overloaded } from '../../../platform/overloaded.ts';
import type { CallForm } from '../../../providers/provider.ts';
import type { RelayDeps } from '../../deps.ts';
import type { RelayRequest, Upload } from '../../request.ts';
import { bodyRoom, bodyTurn } from '../../shares.ts';

type Loaded = Awaited<ReturnType<LoadMedia>>;
/** What lies at an address; null where that is more than may come. */
type Loading = Promise<Loaded | null>;

type Naming = Pick<RelayRequest, 'hold' | 'whenSent' | 'left' | 'userId' | 'ip' | 'standsStill'>;
type MediaDeps = Pick<
  RelayDeps,
  'outgoing' | 'bodies' | 'bodiesByNetwork' | 'cut' | 'mediaTurns' | 'bodyTurns'
>;

/** What a request has fetched: another try on another channel needs the same. */
interface Media {
  /** What has come, or cannot be had. */
  fetched: Map<string, Loading>;
  /** Throws when there is no room for so many bytes more. */
  take(bytes: number): void;
  giveBack(bytes: number): void;
}
const mediaOf = new WeakMap<Naming, Media>();

/** Three bytes are four characters of base64. Those of a body that goes up are held with that. */
const CHARS_A_BYTE = 4 / 3;
const charsOf = (bytes: number): number => 4 * Math.ceil(bytes / 3);

/** Room for what goes up with the body, which the runtime keeps until its answer has come. */
function holdToSend(request: Naming, deps: Pick<MediaDeps, 'bodies' | 'bodiesByNetwork'>): HeldBytes {
  const held = bodyRoom(request, deps).hold();
  request.hold(held);
  return held;
}

function mediaFor(request: Naming, deps: MediaDeps): Media {
  const known = mediaOf.get(request);
  if (known) return known;
  const held = holdToSend(request, deps);
  request.whenSent(() => mediaOf.delete(request));
  let taken = 0;
  const fresh: Media = {
    fetched: new Map(),
    take(bytes) {
      taken += bytes;
      if (taken > limits.inlineMediaOfCallBytes) throw refuse(TOO_LARGE);
      held.grow(Math.ceil(bytes * CHARS_A_BYTE));
    },
    giveBack(bytes) {
      taken -= bytes;
      held.keep(Math.ceil(taken * CHARS_A_BYTE));
    },
  };
  mediaOf.set(request, fresh);
  return fresh;
}

/** The time in which one try has media fetched. */
interface Fetching {
  /** Aborts when nobody wants any of it any more, by what who waits for it is told. */
  over: AbortSignal;
  /** One of them keeps its call waiting, until what this answers is called. */
  waits(): () => void;
  /** Nothing of it goes on behind this. Throws why it was over before, whatever else has come of it. */
  end(): void;
}

/** A host that stands still would else keep connections of a call that is no more, or is elsewhere. */
function beginFetching({ left, standsStill }: Naming, { cut }: Pick<MediaDeps, 'cut'>): Fetching {
  const abort = new AbortController();
  const over = abort.signal;
  const leave = () => abort.abort(fail('client_gone'));
  const giveWay = () => abort.abort(overloaded('its media did not come'));
  const uncut = cut.onCut(() => abort.abort(refuse(NO_ANSWER)));
  left.addEventListener('abort', leave);
  if (left.aborted) leave();
  return {
    over,
    waits() {
      // What is over takes a while to end, for which its call waits no more.
      if (over.aborted || !standsStill) return () => undefined;
      const goesOn = standsStill(giveWay, performance.now());
      over.addEventListener('abort', goesOn);
      return goesOn;
    },
    end() {
      uncut();
      left.removeEventListener('abort', leave);
      over.throwIfAborted();
      leave();
    },
  };
}

/**
 * Does what one try needs media for, and answers how many characters of base64 it was given, those of an address as often as
 * it was asked for. What has come by its end is there for the next try, and what has not is given up.
 *
 * Each address is fetched once, in its turn; their number and size are bounded, and they count among the bodies in memory.
 * What a body names several times stands in it as often, which is a few times, and all of it together is within what its
 * caller may send himself. `taken` tells how many bytes of one are taken in a place: no more of it comes. `withinMs` has the
 * wait for a turn, and the fetch as long again: how long others took is nothing that its address is to blame for.
 */
export async function withMedia(
  request: Naming,
  deps: MediaDeps,
  taken: (place: MediaPlace) => number,
  work: (load: LoadMedia) => Promise<void>,
  withinMs: number = limits.inlineMediaMs,
): Promise<number> {
  const { fetched, take, giveBack } = mediaFor(request, deps);
  const { over, waits, end } = beginFetching(request, deps);
  const loading = new Map(fetched);
  const once = (url: string, maxBytes: number): Loading => {
    const known = loading.get(url);
    if (known) return known;
    if (loading.size >= limits.inlineMedia) {
      return Promise.reject(
        refuse({
          zh: `最多访问 ${limits.inlineMedia} 个图片和文件地址`,
          en: `At most ${limits.inlineMedia} addresses of images and files are fetched`,
        }),
      );
    }
    let bytes = 0;
    const onBytes = (more: number) => {
      bytes += more;
      take(more);
    };
    const loaded = load(url, { asker: askerOf(request), over, waits, onBytes, withinMs, maxBytes }, deps);
    loading.set(url, loaded);
    const keep = () => fetched.set(url, loaded);
    const giveUp = () => giveBack(bytes);
    loaded.then(
      // Another upstream may take more.
      (found) => (over.aborted || (!found && maxBytes < limits.inlineMediaBytes) ? giveUp() : keep()),
      () => (over.aborted ? giveUp() : keep()),
    );
    return loaded;
  };
  const named = new CallersMap<number>();
  let chars = 0;
  let charsAgain = 0;
  /** To be written and sent up: what was fetched is as heavy as if its caller had sent it, and has cost him an address. */
  const turn = (): Promise<void> => bodyTurn(request, deps)(chars, over).finally(waits());
  await work(async (url, place) => {
    const times = (named.get(url) ?? 0) + 1;
    named.set(url, times);
    if (times > limits.inlineMediaTimes) throw refuse(TOO_OFTEN);
    const most = taken(place);
    const loaded = await once(url, most);
    if (!loaded || loaded.data.length > charsOf(most)) throw refuse(moreThan(most));
    chars += loaded.data.length;
    if (times > 1) charsAgain += loaded.data.length;
    if (chars > limits.relayJsonBytes || charsAgain > limits.inlineMediaAgainChars) throw refuse(TOO_LARGE);
    return loaded;
  })
    .then(() => (chars > limits.shortBodyChars ? turn() : undefined))
    .finally(end);
  return chars;
}

/** The files of a form, which count among the bodies in memory when one is read whole. */
export function countedForm(
  { files, bytesOf }: Upload,
  request: Naming,
  deps: Pick<RelayDeps, 'bodies' | 'bodiesByNetwork'>,
): CallForm {
  return {
    files,
    async bytesOf(file) {
      const held = holdToSend(request, deps);
      // Itself, its base64 and the body that this stands in.
      held.grow(Math.ceil(file.bytes * (1 + 2 * CHARS_A_BYTE)));
      return bytesOf(file);
    },
  };
}

const askerOf = ({ userId, ip }: Naming): Asker => ({ who: shareOfUser(userId), network: turnSubject(ip) });

interface Wanted extends Pick<Fetching, 'over' | 'waits'> {
  asker: Asker;
  withinMs: number;
  maxBytes: number;
  onBytes: Media['take'];
}

/** Throws OVERLOADED or RATE_LIMIT where it had no turn, `invalid_request` where the address gave nothing. */
async function load(url: string, wanted: Wanted, { outgoing, mediaTurns }: MediaDeps): Loading {
  const { asker, over, onBytes, withinMs, maxBytes } = wanted;
  const fetching = mediaTurns.run(asker, wanted, (signal) =>
    outgoing.call(url, { asker, signal, timeoutMs: withinMs, maxBytes, onBytes }),
  );
  const answer = await fetching.catch((error: unknown) => {
    if (over.aborted) throw over.reason;
    if (error instanceof AppError) throw error;
    if (error instanceof OutgoingError && error.fault === 'too-large') return null;
    throw refuse(REASONS[error instanceof OutgoingError ? error.fault : 'unreachable'] ?? NO_ANSWER);
  });
  if (!answer) return null;
  if (answer.status !== 200)
    throw refuse({
      zh: `无法取得图片或文件：状态码 ${answer.status}`,
      en: `An image or file could not be fetched: status ${answer.status}`,
    });
  const told = (answer.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const mediaType =
    told && told !== 'application/octet-stream' ? told : (typeOfName(url) ?? 'application/octet-stream');
  return { mediaType, data: Buffer.from(answer.body).toString('base64') };
}

const TOO_LARGE: Text = {
  zh: '地址所指的图片和文件合计过大',
  en: 'The images and files behind the addresses are too large together',
};
const moreThan = (most: number): Text => ({
  zh: `此模型的渠道最多接受 ${most} 字节的图片或文件，地址所指的更大`,
  en: `Channels of this model take an image or file of at most ${most} bytes: one behind an address is larger`,
});
const TOO_OFTEN: Text = {
  zh: `同一个图片或文件地址最多使用 ${limits.inlineMediaTimes} 次`,
  en: `The address of one image or file may stand there at most ${limits.inlineMediaTimes} times`,
};
const NO_ANSWER: Text = {
  zh: '无法从地址取得图片或文件',
  en: 'An image or file could not be fetched from its address',
};
const REASONS: Readonly<Record<string, Text>> = {
  'bad-address': NOT_FETCHED,
  'private-address': NOT_FETCHED,
  // Told apart, names would tell which of them are there inside.
  unresolvable: NOT_FETCHED,
  'closed-port': {
    zh: '图片或文件地址的端口未开放：可用 443 和 8443，http 可用 80',
    en: 'The port in the address of an image or file is closed: 443 and 8443 are open, 80 for http',
  },
  timeout: { zh: '未能及时取得图片或文件', en: 'An image or file could not be fetched in time' },
};

const refuse = (reason: Text) => fail('invalid_request', { params: { reason } });
