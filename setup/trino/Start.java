// Starts a Trino server from its libraries, and ends it when standard input closes: whatever way the test that started it dies, no
// server stays behind.
package discreet;

import io.trino.server.Server;

public final class Start {
    public static void main(String[] arguments) {
        Thread watcher = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                }
            }
            catch (java.io.IOException ended) {
                // the same as an end
            }
            Runtime.getRuntime().halt(0);
        });
        watcher.setDaemon(true);
        watcher.start();
        new Server().start("435");
    }
}
