/** AI Proxy's knowledge base: the last question in, an answer with its documents out. The provider adds the library's id. */
import { parseObject } from '../../core/json.ts';
import type { RequestTarget, StreamReader } from '../../dialects/codec.ts';
import { objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import type { ChatReply, ChatRequest } from '../../dialects/neutral.ts';
import { PartStream } from '../../dialects/part-stream.ts';
import { errorEvent, onlyText, reportDropped, type VendorWire } from '../vendor-wire.ts';

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const question = request.messages.at(-1);
  reportDropped(request, [], target);
  if (request.messages.length > 1) target.drop('messages before the last');
  return {
    model: target.model,
    query: question ? onlyText(question, 'AI Proxy') : '',
    stream: target.stream,
  };
}

/** The documents as a numbered list under the answer. */
function references(documents: Record<string, unknown>[]): string {
  if (documents.length === 0) return '';
  const lines = documents.map(
    (document, index) => `${index + 1}. [${textOf(document.title) ?? ''}](${textOf(document.url) ?? ''})`,
  );
  return `\n\n参考文档：\n${lines.join('\n')}`;
}

function readReply(body: Record<string, unknown>): ChatReply {
  const said = (textOf(body.answer) ?? '') + references(objectsOf(body.documents));
  return {
    id: '',
    model: '',
    created: 0,
    choices: [{ index: 0, parts: [{ type: 'text', text: said }], stop: 'stop' }],
    usage: null,
    extra: {},
  };
}

function streamReader(): StreamReader {
  const parts = new PartStream();
  let documents: Record<string, unknown>[] = [];
  return {
    push(frame) {
      const body = parseObject(frame.data);
      if (!body) return [];
      const error = readError(body);
      if (error) return [errorEvent(error)];
      const found = objectsOf(body.documents);
      if (found.length > 0) documents = found;
      const begun = parts.start('', { model: textOf(body.model) ?? '' });
      return [...begun, ...parts.text(0, textOf(body.content) ?? '')];
    },
    // The wire has no end mark: the closed connection is the end.
    end: () =>
      parts.hasStarted
        ? [
            ...parts.text(0, references(documents)),
            ...parts.close(0),
            { type: 'stop', choice: 0, stop: 'stop' },
            { type: 'end' },
          ]
        : [],
  };
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const { errCode, message, success } = objectOf(body) ?? {};
  const failed = success === false || (typeof errCode === 'number' && errCode !== 0);
  if (!failed) return null;
  const isStatus = typeof errCode === 'number' && errCode >= 400 && errCode <= 599;
  return {
    error: { message: textOf(message) ?? '', type: String(errCode), code: String(errCode) },
    status: isStatus ? errCode : 502,
  };
}

export const aiProxyWire: VendorWire = {
  id: 'aiproxy-library',
  writeRequest,
  readReply,
  streamReader,
  readError,
};
