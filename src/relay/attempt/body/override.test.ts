import { expect, it } from 'bun:test';
import { overridden as over } from './override.ts';

it('replaces fields of the body and adds new ones', () => {
  expect(over({ temperature: 1, tools: [] }, { temperature: 0, top_p: 0.5 })).toEqual({
    temperature: 0,
    tools: [],
    top_p: 0.5,
  });
});

it('leaves model, stream and limits as they were priced', () => {
  const body = { model: 'm', stream: true, max_tokens: 5 };
  expect(over({ ...body }, { model: 'dear', stream: false, max_tokens: 9, n: 4 })).toEqual(body);
});

it('does not ask for the usage of streams where a channel says so, and asks for nothing else there', () => {
  const body = { model: 'm', stream_options: { include_usage: true } };
  expect(over({ ...body }, { stream_options: null })).toEqual({ model: 'm' });
  expect(over({ ...body }, { stream_options: { include_usage: false } })).toEqual(body);
  expect(over({ ...body }, { streamOptions: null })).toEqual(body);
});

it('leaves them in the spelling of any vendor', () => {
  const body = { Model: 'm', Stream: true, parameter: { chat: { domain: 'lite', temperature: 1 } } };
  const fields = {
    Model: 'dear',
    Stream: false,
    maxTokens: 9,
    parameter: { chat: { domain: '4.0Ultra', temperature: 0 } },
  };
  expect(over({ ...body }, fields)).toEqual({
    ...body,
    parameter: { chat: { domain: 'lite', temperature: 0 } },
  });
});

it('leaves the limits that a wire keeps further down', () => {
  expect(
    over(
      { generationConfig: { maxOutputTokens: 5, topK: 1 } },
      { generation_config: { max_output_tokens: 900, candidateCount: 8, temperature: 0 } },
    ),
  ).toEqual({ generationConfig: { maxOutputTokens: 5, temperature: 0 } });
  expect(over({}, { options: { num_predict: 900, seed: 1 } })).toEqual({ options: { seed: 1 } });
  expect(
    over(
      { parameter: { chat: { max_tokens: 5 } } },
      { parameter: { chat: { max_tokens: 900, temperature: 1 } } },
    ),
  ).toEqual({ parameter: { chat: { max_tokens: 5, temperature: 1 } } });
});

it('leaves pictures and films as large and fine as they were priced', () => {
  const body = { image_size: '1024x1024', parameters: { size: '1024*1024', n: 1 } };
  const fields = {
    ...{ size: '9x9', imageSize: '9x9', width: 9, Height: 9, quality: 'hd', resolution: '4k' },
    parameters: { size: '9*9', sampleImageSize: '4K', watermark: false },
  };
  expect(over({ ...body }, fields)).toEqual({
    ...body,
    parameters: { size: '1024*1024', n: 1, watermark: false },
  });
});

it('leaves films as long as they were priced, in the words of any vendor', () => {
  expect(over({ seconds: '4' }, { seconds: '12' })).toEqual({ seconds: '4' });
  expect(over({ duration: 5 }, { Duration: 10, frames: 300, num_frames: 300 })).toEqual({ duration: 5 });
  expect(
    over({ parameters: { durationSeconds: 4 } }, { parameters: { durationSeconds: 8, duration: 8 } }),
  ).toEqual({ parameters: { durationSeconds: 4 } });
});

it('takes the same words for names of properties elsewhere', () => {
  const format = { type: 'json_schema', json_schema: { schema: { properties: { n: {}, stream: {} } } } };
  expect(over({}, { response_format: format })).toEqual({ response_format: format });
});
