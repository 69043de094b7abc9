/** What is remembered of an answer for whoever builds upon it. */
import type { ToolUses } from '../../core/price-formula.ts';
import { completionTokens, type Usage } from '../../core/usage.ts';
import { mayGoOn } from '../../dialects/continuations.ts';
import type { AnswerItems, AnswerSize, GoingOn } from '../../dialects/dialect.ts';
import { picturesDrawn } from '../../dialects/tool-uses.ts';
import type { Call } from '../charge/call.ts';
import { keptOf } from '../charge/kept-answer.ts';
import type { RelayDeps } from '../deps.ts';
import { rememberAffinity } from './affinity-store.ts';
import type { Answer } from './answers.ts';
import { rememberClaudeContainer } from './container-store.ts';
import { type Ran, rememberContainers } from './containers-ran.ts';
import { listed, type OfAnswer, rememberItems } from './item-store.ts';
import { rememberSeals } from './seal-store.ts';
import { rememberThoughts } from './thought-store.ts';

/** What an upstream keeps of an answer, and what was used for it. */
interface Kept {
  /** By which it keeps the answer, and its sounds; undefined where it does not. */
  id: string | undefined;
  soundIds: Iterable<string> | undefined;
  /** Of Anthropic's container in which its code ran. */
  containerId: string | undefined;
  /** With which it goes on. */
  continuations: GoingOn | undefined;
  items: AnswerItems | undefined;
  told: Usage | null;
  /** As it was told, or else counted here. */
  usage: Usage | null;
  uses: ToolUses | undefined;
  /** In which containers. */
  ran?: readonly Ran[] | undefined;
}

/** Which account keeps it, what whoever builds upon it reads of it, and all that he may draw from. Never rejects. */
export async function remember(
  call: Call,
  answer: Answer,
  { id, soundIds = [], containerId, continuations, items, told, usage, uses = {}, ran = [] }: Kept,
  deps: RelayDeps,
): Promise<void> {
  const { request, caller } = call;
  const { candidate, model, paid, sealMarks } = answer;
  const drawn = picturesDrawn(uses);
  const sizeOfAll = (): AnswerSize => ({
    ...keptOf(request, told, paid, items?.searches),
    reader: model,
    pictures: (request.facts.drawnFrom ?? 0) + drawn,
  });
  // What its tools have found was told as a part of what it has read, other items among that; of searches it is text.
  const sizeOfItems = (): AnswerSize & Pick<OfAnswer, 'reads'> => {
    const { prompt, previousAnswer, namedItems = [] } = request.facts;
    const all = { ...sizeOfAll(), pictures: drawn };
    // Who names its items does not name the answer that it builds upon.
    if (previousAnswer !== null) all.least = 0;
    const written = all.holds === 'any' ? 'any' : 'text';
    if (items?.searches === 0)
      return { ...all, tokens: told && completionTokens(told), least: 0, holds: written };
    const holds = items?.searches && prompt.earlier?.holds !== 'media' ? written : all.holds;
    return { ...all, holds, reads: listed(namedItems) };
  };
  // The words of a sound may be read beside it, and of several that were spoken at once nobody tells how long each is.
  const tokens = (usage && completionTokens(usage)) || null;
  const sound = { tokens, holds: 'any', reader: model, pictures: 0 } as const;
  const keptBy = { channelId: candidate.channel.id, keyId: candidate.key.id };
  const goesOn = continuations && mayGoOn(continuations, [model]) ? continuations : [];
  await Promise.all([
    id && rememberAffinity('answer', caller, candidate, { id, ...sizeOfAll() }, deps),
    rememberContainers(call, answer, { id, ran }, deps),
    containerId && rememberClaudeContainer(caller, containerId, keptBy, deps),
    id && items && rememberItems(caller, items, { id, keptBy, ...sizeOfItems() }, deps),
    items && rememberThoughts(caller, items, told, deps),
    items && sealMarks && rememberSeals(caller, items.seals, sealMarks, deps),
    ...Array.from(goesOn, (digest) =>
      rememberAffinity('continued', caller, candidate, { id: digest, ...sizeOfAll() }, deps),
    ),
    ...Array.from(soundIds, (name) =>
      rememberAffinity('sound', caller, candidate, { id: name, ...sound }, deps),
    ),
  ]);
}
