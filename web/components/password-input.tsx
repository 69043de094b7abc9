import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { cn } from '@/lib/cn.ts';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from './ui/button.tsx';
import { Input } from './ui/input.tsx';

/** A password that can be looked at. The eye needs JavaScript, so it comes with it. */
export function PasswordInput({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  const live = useLive();
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <Input type={shown ? 'text' : 'password'} className={cn('pr-11', className)} {...props} />
      {live && (
        <Button
          variant="ghost"
          size="icon"
          aria-label={t(shown ? 'login.hidePassword' : 'login.showPassword')}
          aria-pressed={shown}
          className="absolute top-1/2 right-1 -translate-y-1/2 px-0 max-md:right-0"
          onClick={() => setShown(!shown)}
        >
          <Icon aria-hidden="true" />
        </Button>
      )}
    </div>
  );
}
