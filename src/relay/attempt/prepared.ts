/** A request that is ready to go up, and what is known of its answer by then. */
import type { PaidTools } from '../../core/paid-tools.ts';
import { DroppedFields } from '../../dialects/dropped-fields.ts';
import type { Passage } from '../../dialects/passage.ts';
import { ToolCounter } from '../../dialects/tool-uses.ts';
import type { Ask, Finished, Provider, UpstreamRequest } from '../../providers/provider.ts';
import { billAt } from '../../providers/registry.ts';
import type { Answer } from '../answer/answers.ts';
import type { Form } from '../request.ts';
import { hiddenOfChannel } from './hidden.ts';

/** With all of its answer that is known before that comes; whether that is converted its passage tells. */
export interface Prepared extends Omit<Answer, 'converted'> {
  provider: Provider;
  passage: Passage;
  /** Fields of the caller's that were left out: misspelled ones of the gateway, and what is dearer than he pays for. */
  dropped: readonly string[];
  upstream: UpstreamRequest;
  /** Its paid tools with the limits that go up with them: so much is held. */
  held: PaidTools;
  /** It brings reasoning back that its upstream may be unable to open. */
  bringsReasoning: boolean;
  /** Goes up instead of a body. */
  form?: Form;
  /** Puts the vendor's own words into those of the upstream's dialect. */
  finish?: (answer: Response, ask: Ask) => Promise<Finished>;
}

/** What must not be seen of the channel in an upstream's words. */
export const hiddenOf = ({ candidate: { channel, key }, upstream }: Prepared): string[] => [
  ...hiddenOfChannel(channel, key.value, upstream.url),
  ...(upstream.secrets ?? []),
];

/** Whether its answer may tell uses of tools that run at the upstream, asked for or not: its wire knows some. */
export const mayTellUses = ({ passage }: Prepared): boolean => passage.upstream.paidTools !== undefined;

/** What looks at the frames of its stream for them. */
export const toolCounter = (prepared: Prepared): ToolCounter | undefined =>
  mayTellUses(prepared) ? new ToolCounter(billAt(prepared.candidate.channel)) : undefined;

/** Each once, and as they may stand in headers and logs, whoever has gathered them. */
function namesOnce(some: readonly string[], others?: ReadonlySet<string>): readonly string[] {
  if (some.length === 0 && !others?.size) return NO_NAMES;
  const dropped = new DroppedFields();
  for (const name of some) dropped.add(name);
  for (const name of others ?? []) dropped.add(name);
  return [...dropped.names];
}

const NO_NAMES: readonly string[] = [];

/** What of an answer is known before it comes. */
export const answerTo = ({
  candidate,
  asRead,
  model,
  thinker,
  passage,
  dropped,
  paid,
  foretells,
  edits,
  standing,
  summedUpBefore,
  cacheLife,
  sealMarks,
}: Prepared): Answer => ({
  candidate,
  asRead,
  model,
  thinker,
  converted: passage.converted ?? null,
  dropped: namesOnce(dropped, passage.converted?.dropped),
  paid,
  foretells,
  edits,
  standing,
  summedUpBefore,
  cacheLife,
  sealMarks,
});
