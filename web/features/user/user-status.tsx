import { USER_STATUS } from '@core/roles.ts';
import { State, type StateLook } from '@/components/status.tsx';
import { isBanned, isCancelled, isErased, type User } from './user.ts';

const states = {
  erased: { tone: 'gone', label: 'user.erased' },
  cancelled: { tone: 'bad', label: 'user.cancelled' },
  banned: { tone: 'off', label: 'user.banned' },
  active: { tone: 'on', label: 'user.active' },
} as const satisfies Record<string, StateLook>;

function stateOf(user: User): StateLook | undefined {
  if (isErased(user)) return states.erased;
  if (isCancelled(user)) return states.cancelled;
  if (isBanned(user)) return states.banned;
  return user.status === USER_STATUS.active ? states.active : undefined;
}

export const UserStatus = ({ user }: { user: User }) => <State look={stateOf(user)} />;
