import { describe, expect, it } from 'bun:test';
import type { Channel } from './channel.ts';
import { channelsUnder, isTag, lineId, sumOf, tagLines } from './line.ts';

const channel = (id: number, tag: string, over: Partial<Channel> = {}): Channel => ({
  id,
  type: 1,
  name: `c${id}`,
  channel_name: `c${id}`,
  key: '',
  created_time: 0,
  key_hint: '',
  key_count: 1,
  keys_disabled: 0,
  status: 1,
  openai_organization: '',
  max_input_tokens: 0,
  base_url: '',
  other: '',
  models: '',
  model_count: 0,
  group: '',
  model_mapping: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  private_allowed: false,
  override_ignored: [],
  auto_ban: 1,
  test_model: '',
  priority: 0,
  weight: 0,
  tag,
  other_info: '',
  response_time: 0,
  test_time: 0,
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  multi_key_mode: 'random',
  expired_time: -1,
  ...over,
});

describe('the tag view', () => {
  it('puts a row a tag over its channels, and leaves the untagged where they stand', () => {
    const lines = tagLines([channel(1, 'eu'), channel(2, 'eu'), channel(3, ''), channel(4, 'us')]);
    const flat = lines.flatMap((line) => [line, ...(channelsUnder(line) ?? [])]);
    expect(flat.map(lineId)).toEqual(['tag:eu', '1', '2', '3', 'tag:us', '4']);
    expect(lines.map(lineId)).toEqual(['tag:eu', '3', 'tag:us']);
  });

  it('leaves the tag’s priority and weight blank where its children differ', () => {
    const [line] = tagLines([
      channel(1, 'eu', { priority: 5, weight: 1, used_quota: 3, response_time: 400 }),
      channel(2, 'eu', { priority: 5, weight: 2, used_quota: 4, response_time: 600, status: 3 }),
      channel(3, 'eu', { priority: 5, weight: 2 }),
    ]);
    if (!line || !isTag(line)) throw new Error('the first row is the tag');
    expect(sumOf(line)).toEqual({ on: 2, off: 1, responseMs: 500, used: 7, priority: 5, weight: null });
  });
});
