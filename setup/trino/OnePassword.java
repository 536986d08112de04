// A Trino plugin for tests: one user, one password, so that what Discreet does with a right and a wrong one is seen on a real server.
package discreet;

import io.trino.spi.Plugin;
import io.trino.spi.security.AccessDeniedException;
import io.trino.spi.security.BasicPrincipal;
import io.trino.spi.security.PasswordAuthenticator;
import io.trino.spi.security.PasswordAuthenticatorFactory;

import java.util.List;
import java.util.Map;

public final class OnePassword implements Plugin {
    @Override
    public Iterable<PasswordAuthenticatorFactory> getPasswordAuthenticatorFactories() {
        return List.of(new PasswordAuthenticatorFactory() {
            @Override
            public String getName() {
                return "one-password";
            }

            @Override
            public PasswordAuthenticator create(Map<String, String> settings) {
                return (user, password) -> {
                    if (!user.equals(settings.get("user")) || !password.equals(settings.get("password"))) {
                        throw new AccessDeniedException("wrong name or password");
                    }
                    return new BasicPrincipal(user);
                };
            }
        });
    }
}
