"""What tests on a PostgreSQL have in common: a server of their own, a policy of a table in it, and a network between them that can fail."""
import socket
import subprocess
import threading

from support import PrivateServer, ServerCase


class Server(PrivateServer):
    """A PostgreSQL."""

    def __init__(self):
        super().__init__("postgres")
        self.address = self.said

    def run(self, sql, address=None):
        return subprocess.run(["psql", address or self.address, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True, capture_output=True, text=True).stdout.strip()


QUERY = b"\0WITH rows"  # as libpq sends one; what is planned before begins with EXPLAIN


class Proxy:
    """A network between us and a server: it keeps what we say, and swallows every answer once we have said `silent_from`. `meanwhile` is
    done, once, as soon as a query is on its way, which then reaches nobody; its connection ends. Of all connections the first `served` are
    answered. A text of `instead` reaches the server as the other. With these two, queries are held up until it has come to that: `seen`."""

    def __init__(self, server, silent_from=None, meanwhile=None, served=None, instead=None):
        self.socket = server.address.split("host=")[1] + "/.s.PGSQL.5432"
        self.silent_from, self.silent, self.said = silent_from, False, b""
        self.meanwhile = meanwhile
        self.served, self.instead, self.seen = served, instead, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"postgresql://discreet@127.0.0.1:{self.listener.getsockname()[1]}/postgres"
        self.open = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            self.open += [client, server]
            if self.silent:
                continue
            if self.served == 0:
                self.seen.set()
                continue
            if self.served is not None:
                self.served -= 1
            try:
                server.connect(self.socket)
            except OSError:  # the server is gone
                client.close()
                continue
            threading.Thread(target=self.pump, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, False), daemon=True).start()

    def pump(self, source, target, ours):
        try:
            while data := source.recv(65536):
                if ours:
                    self.said += data
                    if self.meanwhile and QUERY in self.said:
                        meanwhile, self.meanwhile = self.meanwhile, None
                        meanwhile()
                        for one in (source, target):
                            one.shutdown(socket.SHUT_RDWR)
                        return
                    if self.instead and self.instead[0] in data:
                        data = data.replace(*self.instead)
                        self.seen.set()
                    if (self.instead or self.served is not None) and QUERY in data:
                        self.seen.wait(60)
                    self.silent = self.silent or (self.silent_from is not None and self.silent_from in self.said)
                elif self.silent:
                    continue
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        for one in self.open:
            one.close()


VISITS = """CREATE TABLE visits(patient bigint, ward text, cost float8, day date);
INSERT INTO visits SELECT i % 400, 'ward ' || (i * 7 % 5), (i * 13 % 1000)::float8 / 10, DATE '2020-01-01' + i % 400 FROM generate_series(1, 4000) i;
CREATE TABLE wards(ward text, floor bigint); INSERT INTO wards SELECT 'ward ' || i, i / 2 FROM generate_series(0, 4) i"""


class PostgresCase(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.server.run(VISITS)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        super().setUp()
        self.write(self.server.address)

    def write(self, dsn, source="visits", more=""):
        return self.write_policy(f'engine = "postgres"\ndsn = "{dsn}"', source, more)

    def through(self, silent_from=None, **options):
        proxy = Proxy(self.server, silent_from, **options)
        self.addCleanup(proxy.close)
        self.write(proxy.address)
        return proxy
