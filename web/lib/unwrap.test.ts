import { afterEach, describe, expect, it } from 'bun:test';
import { ApiError } from './api-error.ts';
import { closeModal, modalText, showAsAsked } from './message-modal.ts';
import { unwrap, unwrapFile } from './unwrap.ts';

const refusalOf = async (body: object, status = 200): Promise<ApiError> => {
  const error: unknown = await unwrap(Response.json(body, { status })).catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return error;
  throw new Error('it was no refusal');
};

describe('how a refusal is shown', () => {
  afterEach(closeModal);
  const refused = { success: false, message: 'Read <b>this</b>', code: 'X' };

  it.each(['text', 'html'])(
    'opens a window with its words when showType says so, msgType %s',
    async (msgType) => {
      const error = await refusalOf({ ...refused, showType: 'modal', msgType });
      expect(error.modal).toBe(true);
      showAsAsked(error);
      expect(modalText()).toBe('Read <b>this</b>');
    },
  );

  it.each([{}, { showType: 'modal' }, { showType: 'toast', msgType: 'text' }])(
    'opens none for %p',
    async (more) => {
      const error = await refusalOf({ ...refused, ...more });
      showAsAsked(error);
      expect([error.modal, modalText()]).toEqual([false, null]);
    },
  );

  it('crosses from the server’s rendering whole', async () => {
    const error = await refusalOf({ ...refused, showType: 'modal', msgType: 'text' });
    expect(new ApiError(error.fields)).toMatchObject({ modal: true, code: 'X' });
  });
});

describe('a file', () => {
  const failureOf = (response: Response) =>
    unwrapFile(response).then(
      () => null,
      (thrown: unknown) => thrown,
    );

  it('that a success came without is no fault of the connection', async () => {
    const response = Response.json({ success: true, message: '' }, { headers: { 'x-request-id': 'r' } });
    expect(await failureOf(response)).toMatchObject({ code: 'TRANSPORT', status: 200, requestId: 'r' });
  });

  it('that breaks off half-way is one', async () => {
    const half = new ReadableStream({
      pull: (controller) => controller.error(new Error('gone')),
    });
    const response = new Response(half, { headers: { 'content-disposition': 'attachment' } });
    expect(await failureOf(response)).toMatchObject({ code: 'TRANSPORT', status: 0 });
  });
});
