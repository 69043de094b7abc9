/** The code of the error that some work ends in; `ok` where it ends well. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return 'ok';
}
