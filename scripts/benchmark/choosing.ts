/**
 * What the choice of a channel costs with 1,000 channels of 200 models each, all in one group: for a call of its own,
 * for one of a conversation, and both while the circuit breakers of nine of ten channels are open. By itself it prints
 * its lines.
 */

import { ChannelIndex } from '../../src/modules/channel/channel-index.ts';
import type { RoutedChannel } from '../../src/modules/channel/model.ts';
import { affinityOf, nextCandidate, Tried } from '../../src/relay/choose/candidates.ts';
import { CircuitBreakers } from '../../src/relay/choose/circuit-breaker.ts';
import { KeyTurns } from '../../src/relay/choose/key-turns.ts';
import { channel } from '../../tests/support/routed-channel.ts';

const CHANNELS = 1_000;
const MODELS = 200;
const BATCHES = 10;
const ROUNDS = 2_000;
const WARM_UP = 5_000;

export interface Choosing {
  name: string;
  /** Microseconds of CPU a choice, in the best of ten batches: what disturbs one only ever adds. */
  us: number;
}

const models = Array.from({ length: MODELS }, (_, i) => `model-${i}`);

/** Every second channel has a weight of its own; three priorities, most of them in the first. */
const channels: RoutedChannel[] = Array.from({ length: CHANNELS }, (_, i) => ({
  ...channel(i + 1, i % 2 === 0 ? (i % 7) + 1 : 0, i % 10 === 0 ? -1 : 0),
  models,
}));

function openMost(): CircuitBreakers {
  const breakers = new CircuitBreakers();
  for (const each of channels.filter(({ id }) => id % 10 !== 3)) {
    const [key] = each.keys;
    if (!key) continue;
    for (const model of models) {
      for (let n = 0; n < 5; n++)
        breakers.note({ channel: each, key }, model, {
          kind: 'failure',
          isLate: false,
          reason: { code: 'said', said: '' },
        });
    }
  }
  return breakers;
}

export function measureChoosing(): Choosing[] {
  const view = new ChannelIndex(channels);
  const turns = new KeyTurns();
  const measure = (name: string, breakers: CircuitBreakers, isConversation: boolean): Choosing => {
    let chosen = 0;
    const choose = (round: number) => {
      const model = models[round % MODELS] ?? '';
      const affinity = isConversation ? affinityOf(round, 'session') : null;
      const choice = { model, serves: () => true, breakers, affinity };
      if (nextCandidate(view.tiers('default', model), new Tried(turns), choice)) chosen++;
    };
    for (let round = 0; round < WARM_UP; round++) choose(round);
    let us = Number.POSITIVE_INFINITY;
    for (let batch = 0; batch < BATCHES; batch++) {
      const before = process.cpuUsage();
      for (let round = 0; round < ROUNDS; round++) choose(round);
      const { user, system } = process.cpuUsage(before);
      us = Math.min(us, (user + system) / ROUNDS);
    }
    if (chosen !== WARM_UP + BATCHES * ROUNDS) throw new Error('a choice came to nothing');
    return { name, us };
  };
  const well = new CircuitBreakers();
  const open = openMost();
  return [
    measure('a call', well, false),
    measure('a call of a conversation', well, true),
    measure('a call, 900 rest', open, false),
    measure('a call of a conversation, 900 rest', open, true),
  ];
}

if (import.meta.main) {
  for (const { name, us } of measureChoosing()) {
    console.log(`choosing among ${CHANNELS} channels of ${MODELS} models, ${name}: ${us.toFixed(1)} µs`);
  }
}
