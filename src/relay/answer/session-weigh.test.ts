import { describe, expect, it } from 'bun:test';
import { PLAIN, Service } from '../../../tests/support/session-service.ts';
import type { JsonObject } from '../../core/json.ts';
import { sumOfUsage } from '../../core/usage.ts';

const SECOND = Buffer.alloc(48_000).toString('base64');
const ZEROS: JsonObject = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
const NO_SOUND: JsonObject = { text_tokens: 0, audio_tokens: 0 };

const open = () => new Service(PLAIN, 1_000_000_000, () => 0, true);

async function total(service: Service) {
  service.meter.close();
  return service.meter.total('done', 'caller');
}

/** Twelve seconds are heard, and six said. */
async function spoken(usage: JsonObject | null, service = open()) {
  for (let n = 0; n < 12; n++) await service.hear({ type: 'input_audio_buffer.append', audio: SECOND });
  service.tell({ type: 'input_audio_buffer.committed', item_id: 'i' });
  service.tell({ type: 'response.created', response: { id: 'r', conversation_id: 'c' } });
  for (let n = 0; n < 6; n++) service.tell({ type: 'response.audio.delta', response_id: 'r', delta: SECOND });
  const response = {
    id: 'r',
    conversation_id: 'c',
    status: 'completed',
    output: [],
    ...(usage && { usage }),
  };
  service.tell({ type: 'response.done', response });
  return total(service);
}

describe('what an answer of a session tells', () => {
  it.each<[what: string, usage: JsonObject]>([
    ['zeros', ZEROS],
    ['zeros with their details', { ...ZEROS, input_token_details: NO_SOUND, output_token_details: NO_SOUND }],
  ])('is untold where it is %s and something came', async (_, usage) => {
    const untold = await spoken(null);
    expect(untold.usage).toMatchObject({ inputAudio: 120, outputAudio: 121 });
    expect(await spoken(usage)).toEqual({ ...untold, firstContentMs: expect.any(Number) });
  });

  it('is believed as zeros where nothing came', async () => {
    const service = open();
    await service.begins('r', {});
    service.ends('r', 0, 0);
    expect(await total(service)).toMatchObject({ usage: { input: 0, output: 0 }, usageSource: 'upstream' });
  });

  it('counts a half of which nothing is told, and believes the other', async () => {
    const counted = { usageSource: 'estimated', suspect: true };
    const halfRead = await spoken({ input_tokens: 384, output_tokens: 0 });
    expect(halfRead).toMatchObject({ ...counted, usage: { inputAudio: 384, outputAudio: 121 } });
    const halfSaid = await spoken({ input_tokens: 0, output_tokens: 190 });
    expect(halfSaid).toMatchObject({ ...counted, usage: { inputAudio: 120, outputAudio: 190 } });
  });

  it('is a constant where it is less than a tenth of what came', async () => {
    const { usage, suspect } = await spoken({ input_tokens: 1, output_tokens: 1 });
    expect(suspect).toBe(true);
    expect(usage).toMatchObject({ inputAudio: 120, outputAudio: 121 });
  });

  it('is of sound where sound passed and none is told', async () => {
    const told = { input_tokens: 384, output_tokens: 190, output_tokens_details: { reasoning_tokens: 40 } };
    const { usage, usageSource } = await spoken({ ...told, input_token_details: { cached_tokens: 84 } });
    expect(usageSource).toBe('upstream');
    expect(usage).toMatchObject({ inputAudio: 300, cacheReadAudio: 84, outputAudio: 150, output: 40 });
    expect([usage.input, usage.cacheRead]).toEqual([0, 0]);
  });

  it('is of text as far as that was written, or read', async () => {
    const service = open();
    const content = [{ type: 'input_text', text: 'word '.repeat(96) }];
    await service.hear({ type: 'conversation.item.create', item: { content } });
    const { usage } = await spoken({ input_tokens: 240, output_tokens: 121 }, service);
    expect(usage).toMatchObject({ input: 120, inputAudio: 120, outputAudio: 121 });
  });

  const WAYS: [what: string, isApart: boolean, hasOwnInput: boolean][] = [
    ['of the conversation', false, false],
    ['beside it', true, false],
    ['with an input of its own', true, true],
  ];

  describe.each(WAYS)('of an answer %s', (_, isApart, hasOwnInput) => {
    const said = {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_audio', audio: SECOND.repeat(9) }],
    };
    /** It reads nine seconds, with what the session is told at each time. */
    async function answered(told: (string | null)[], tokens: number, response: JsonObject = {}) {
      const service = open();
      const tell = async (at: number) => {
        const instructions = told[at] ?? null;
        if (instructions !== null) await service.hear({ type: 'session.update', session: { instructions } });
      };
      await tell(0);
      await tell(1);
      if (!hasOwnInput) await service.hear({ type: 'conversation.item.create', item: said });
      const beside = { ...(isApart && { conversation: 'none' }), ...(hasOwnInput && { input: [said] }) };
      await service.hear({ type: 'response.create', response: { ...beside, ...response } });
      await tell(2);
      await tell(3);
      service.tell({
        type: 'response.created',
        response: { id: 'r', conversation_id: isApart ? null : 'c' },
      });
      service.ends('r', tokens, 5);
      return (await total(service)).usage;
    }
    const long = 'word '.repeat(50_000);

    it.each<[when: string, told: (string | null)[]]>([
      ['before it was asked for', [long, null, '']],
      ['and cleared before', [long, '']],
      ['for a while in between', [null, null, long, '']],
      ['since then', [null, null, long]],
    ])('is of sound though long instructions stood %s', async (_when, told) => {
      expect(await answered(told, 100)).toMatchObject({ input: 0, inputAudio: 100 });
    });

    it('is of sound though long instructions stand, where it has others', async () => {
      const usage = await answered([long], 192, { instructions: 'word '.repeat(72) });
      expect(usage).toMatchObject({ input: 96, inputAudio: 96 });
    });

    it('is of text as far as instructions are that stand', async () => {
      expect(await answered([long, 'word '.repeat(72)], 192)).toMatchObject({ input: 96, inputAudio: 96 });
    });
  });

  it('is of text where nobody listened to what is sent', async () => {
    const service = open();
    service.tell({ type: 'input_audio_buffer.speech_started' });
    service.tell({ type: 'input_audio_buffer.cleared' });
    for (let n = 0; n < 6; n++) await service.hear({ type: 'input_audio_buffer.append', audio: SECOND });
    await service.begins('r', {});
    service.ends('r', 100, 5);
    expect((await total(service)).usage).toMatchObject({ input: 100, inputAudio: 0, output: 5 });
  });

  it('is of sound where a service answers what it never says that it heard', async () => {
    const service = open();
    for (let n = 0; n < 6; n++) await service.hear({ type: 'input_audio_buffer.append', audio: SECOND });
    service.tell({ type: 'response.created', response: { id: 'r', conversation_id: 'c' } });
    service.ends('r', 100, 5);
    expect((await total(service)).usage).toMatchObject({ inputAudio: 100, output: 5 });
  });
});

describe('what a transcript of a session tells', () => {
  const written = async (usage: JsonObject, transcript = 'one two three') => {
    const service = open();
    for (let n = 0; n < 60; n++) await service.hear({ type: 'input_audio_buffer.append', audio: SECOND });
    service.tell({ type: 'input_audio_buffer.committed', item_id: 'i' });
    const type = 'conversation.item.input_audio_transcription.completed';
    service.tell({ type, item_id: 'i', transcript, usage: { type: 'tokens', ...usage } });
    const { usage: own, transcribed, suspect } = await total(service);
    return { usage: transcribed ? sumOfUsage(own, transcribed.usage) : own, suspect };
  };

  it('is untold where it is zeros and words came', async () => {
    expect(await written(ZEROS)).toMatchObject({ usage: { input: 1_000, output: 3 }, suspect: false });
    expect(await written(ZEROS, '')).toMatchObject({ usage: { input: 0, output: 0 }, suspect: false });
  });

  it('is a constant where it is less than a tenth of the sound', async () => {
    const counted = { usage: { input: 1_000, output: 3 }, suspect: true };
    expect(await written({ input_tokens: 1, output_tokens: 1 })).toMatchObject(counted);
    expect(await written({ input_tokens: 0, output_tokens: 3 })).toMatchObject(counted);
  });

  it('is of the sound where none is told', async () => {
    const { usage } = await written({ input_tokens: 590, output_tokens: 3, input_token_details: NO_SOUND });
    expect(usage).toMatchObject({ input: 0, inputAudio: 590, output: 3 });
  });
});
