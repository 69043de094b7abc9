/** Where a call's bytes find room: in the share of whoever calls, and in that of his network, so that many accounts have one. */
import { type Room, together } from '../platform/body-budget.ts';
import { turnSubject } from '../platform/limiter.ts';
import type { RelayDeps } from './deps.ts';
import type { RelayRequest } from './request.ts';

type Asker = Pick<RelayRequest, 'userId' | 'ip'>;

export const bodyRoom = (
  { userId, ip }: Asker,
  { bodies, bodiesByNetwork }: Pick<RelayDeps, 'bodies' | 'bodiesByNetwork'>,
): Room => together(bodies.of(userId), bodiesByNetwork.of(turnSubject(ip)));

/** On the disk. */
export const uploadRoom = (
  { userId, ip }: Asker,
  { uploads, uploadsByNetwork }: Pick<RelayDeps, 'uploads' | 'uploadsByNetwork'>,
): Room => together(uploads.of(userId), uploadsByNetwork.of(turnSubject(ip)));

/** Within a network who holds most gives way first: a neighbour's answers are not in the way of others. */
export const answerRoom = (
  { userId, ip }: Asker,
  { answersHeld, answersByNetwork }: Pick<RelayDeps, 'answersHeld' | 'answersByNetwork'>,
): Room =>
  together(answersHeld.of(userId), answersByNetwork.of({ name: `user ${userId}`, within: turnSubject(ip) }));
