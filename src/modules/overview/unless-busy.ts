import { AppError } from '../../core/errors.ts';
import { BUSY_CODES } from './facts.ts';

/** What was asked for, or that it was not there in time: a slow figure leaves its own place empty and no other. */
export async function unlessBusy<T>(asked: Promise<T>): Promise<T | 'busy'> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppError && BUSY_CODES.includes(error.code)) return 'busy';
    throw error;
  }
}
