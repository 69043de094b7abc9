/**
 * What a failure owes. An upstream may have worked though nothing comes of it, and is paid for that all the same: when, and by
 * which measure, is said here alone. Who owes anything is told that it is final, though it may tell of the account: to ask
 * the next one would be to pay twice.
 *
 * - Its place was another's (`gave-way`), or all time was over once an upstream had had its own (`late`): all that was held,
 *   where tools may have told somebody the whole answer by then.
 * - Else of a whole answer that gave its place and whose caller had left (`left`): its prompt, and what nobody sees as it was
 *   held.
 * - An answer says that it has failed (`failed`): what it tells, where tools had worked for it; else the container that was
 *   made for it before its first word. One that tells what it took and holds nothing of what was asked for (words in the
 *   place of a picture): that.
 * - What was said is refused at a price (`refused`): that.
 *
 * All other failures owe nothing, and another may be asked. Behind a stream that was begun nobody asks another: what that owes
 * where nothing of it was shown stands below. Of what had no room (`too-large`) whoever counts its bytes says so.
 */
import type { AppError } from '../../core/errors.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import { completionTokens } from '../../core/usage.ts';
import type { StreamEnd } from '../charge/call.ts';
import { readsUnseen } from '../charge/unseen.ts';
import type { RelayRequest } from '../request.ts';
import type { Answer, PlainAnswer, Unshown } from './answers.ts';
import type { Ending } from './pump.ts';

/** What of a failure decides it. */
export interface Failed {
  /** The upstream's own status; 0 when it gave none. */
  status: number;
  /** Why there was no answer of any status, where there was none. */
  fault: string;
  /** What the caller is told when nothing else works out. */
  error: AppError;
  /** It is about what was said, which its upstream will not answer. */
  isOfContent?: boolean;
  /** All that the upstream said, in its own words, for looking up what is final in it; never shown. */
  said: string;
  /** What came of it before it failed; of a status alone only where its vendor had answered well, and told what that took. */
  came?: PlainAnswer | undefined;
  /** It was to come whole, and was late when its upstream had had its time for it. */
  hadTime?: true;
}

/** Why it is charged though nothing is shown, and what came of it, where that alone is. */
export type Owes = Pick<Unshown, 'why' | 'came'>;

/** What a call to an upstream could set off there, as it was asked for and as it is held. */
interface Asked {
  paid: PaidTools;
  held: PaidTools;
}

type Asking = Pick<RelayRequest, 'left' | 'operation'> & {
  facts: Pick<RelayRequest['facts'], 'stream'>;
};

/** Null for nothing. */
export function owedByFailed(failed: Failed, request: Asking, { paid, held }: Asked): Owes | null {
  const { fault, isOfContent, said, came, hadTime } = failed;
  switch (fault) {
    case 'gave-way':
      if (mayHaveTold(paid)) return { why: 'gave-way' };
      return hasLeftWhole(request) ? { why: 'left' } : null;
    case 'timeout':
      return hadTime && mayHaveTold(paid) ? { why: 'late' } : null;
    default:
      if (came && (fault === 'status' || hasWorked(came))) return { why: 'failed', came };
      if (isOfContent && held.refusals?.test(said)) return { why: 'refused' };
      return hasBegun(failed) && makesContainer(paid) ? { why: 'failed' } : null;
  }
}

/** What was said to tools has come to somebody by then: a server of its caller's, perhaps. */
const mayHaveTold = (paid: PaidTools): boolean => readsUnseen({ paid });

/** Who has left takes nothing while another needs his place. A task of which nobody has a name is none. */
const hasLeftWhole = ({ left, facts, operation }: Asking): boolean =>
  left.aborted && !facts.stream && operation !== 'task';

/**
 * Tools have worked for it, though it has failed in the end: what they did has come to somebody. An answer without any is
 * had by nobody, and asked for anew.
 */
function hasWorked({ facts, tools = {}, containers = [], paid }: PlainAnswer): boolean {
  if (containers.length > 0 || Object.values(tools).some((count) => count > 0)) return true;
  const isWritten = (facts.usage !== null && completionTokens(facts.usage) > 0) || facts.due() > 0;
  return isWritten && mayHaveTold(paid);
}

/** OpenAI makes a container before its model says a word. */
const makesContainer = ({ tools }: PaidTools): boolean =>
  tools.some(({ container, always }) => container && always);

/** It failed within its answer; at a picture that was blocked, which a tool was to draw; or at a server of tools. */
const hasBegun = ({ fault, status, error }: Failed): boolean =>
  fault === 'error-in-answer' || status === 424 || error.detail.upstream?.code === 'moderation_blocked';

/**
 * What a stream owes of which its caller has seen nothing: what was told or read of it, whatever becomes of the caller and
 * however long it takes; where it tells an error alone, what was made for it; or nothing.
 */
export function owedByEmptyStream(
  { end, usage, promptUsage, isEmpty, error, refused }: Ending,
  { paid }: Pick<Answer, 'paid'>,
  isStopping: boolean,
): 'what it took' | 'what was made' | 'nothing' {
  // What others leave no room for is not his to pay, whatever is told of it.
  if (refused?.why === 'others') return 'nothing';
  if (usage) return 'what it took';
  switch (end) {
    case 'client_gone':
      if (promptUsage || !(isEmpty || error)) return 'what it took';
      break;
    case 'upstream_cut':
      break;
    default:
      // The end of the process is not the doing of who pays.
      return end === 'timeout' && isStopping ? 'nothing' : 'what it took';
  }
  return error && makesContainer(paid) ? 'what was made' : 'nothing';
}

/** What follows from why nothing can be shown. */
interface Terms {
  /** For what he says himself, and for how much he asks, the caller is to blame. */
  blame: Unshown['blame'];
  /** It was not read to its end: what nobody sees is due as it was held. */
  isCutShort: boolean;
  /** Nobody saw how much of it was written, either. */
  isUnseen?: true;
  /** Nothing was: what is due came before its first word. */
  isUnwritten?: true;
  /** Of containers the one is due that was made then. */
  ranInNone?: true;
  end: StreamEnd | null;
}

const TERMS: Readonly<Record<Unshown['why'], Terms>> = {
  late: { blame: 'late', isUnseen: true, isCutShort: true, end: 'timeout' },
  'gave-way': { blame: 'nobody', isUnseen: true, isCutShort: true, end: null },
  left: { blame: 'nobody', isCutShort: true, end: 'client_gone' },
  failed: { blame: 'channel', isUnwritten: true, ranInNone: true, isCutShort: false, end: null },
  'too-large': { blame: 'caller', isUnseen: true, isCutShort: true, end: null },
  refused: { blame: 'caller', isUnwritten: true, isCutShort: false, end: null },
};

export const termsOf = ({ why }: Pick<Unshown, 'why'>): Terms => TERMS[why];

/** What is charged though nothing of it is shown, and its upstream told no usage. */
export function unshown(why: Unshown['why'], answer: Answer, error: AppError): Unshown {
  const { blame, isCutShort, isUnseen } = TERMS[why];
  return {
    ...{ kind: 'unshown', answer, why, error, usage: null, promptUsage: null },
    ...{ blame, isCutShort, isUnseen },
  };
}
