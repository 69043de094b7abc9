/** Marks on the reasoning that an account and a model have sealed, by which they know it again. */
import type { MarkOf, OwnMarks } from '../../dialects/sealed-reasoning.ts';
import type { Candidate, RoutedChannel, Tier } from '../../modules/channel/model.ts';
import type { RelayDeps } from '../deps.ts';

/**
 * What of a candidate says whose account it is. OpenAI seals for an organisation, whichever of its keys has asked. Where a
 * channel names none, each key counts as another's account: with a new key the model thinks anew, once.
 */
interface Account {
  channel: Pick<Candidate['channel'], 'organization'>;
  key: Pick<Candidate['key'], 'value'>;
}

const accountOf = ({
  channel: { organization },
  key,
}: Account): readonly [key: string, organization: string] => [organization ? '' : key.value, organization];

/** So many letters of base64 are 96 bits: a mark is no secret, and need only not be met by chance. */
const LETTERS = 16;

/** The marks of a candidate's account. Only who has our key can make them, so that they tell of no account, whatever is tried. */
export const sealMarks =
  (account: Account, model: string, { secrets }: Pick<RelayDeps, 'secrets'>): MarkOf =>
  (id = '') =>
    secrets.lookup(`sealed-by:${JSON.stringify([...accountOf(account), model, id])}`).slice(0, LETTERS);

/** Those by which it knows what it has sealed, and what it keeps. */
export const ownMarks = (account: Account, model: string, deps: Pick<RelayDeps, 'secrets'>): OwnMarks => ({
  sealed: sealMarks(account, model, deps)(undefined),
  kept: sealMarks(account, ANY_MODEL, deps)(undefined),
});

const ANY_MODEL = '';

/** Whether they are more than one account, or ask it for several models: one may be asked to open what another has sealed. */
export function areSeveral(tiers: readonly Tier[], modelAt: (channel: RoutedChannel) => string): boolean {
  let first: string | undefined;
  for (const { channels } of tiers) {
    for (const channel of channels) {
      const model = modelAt(channel);
      for (const key of channel.keys) {
        const sealer = JSON.stringify([...accountOf({ channel, key }), model]);
        first ??= sealer;
        if (sealer !== first) return true;
      }
    }
  }
  return false;
}
