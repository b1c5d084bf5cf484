# What `wiki` needs of OpenID Connect, with perl-base and `openssl` alone: JSON, calls on loopback, and tokens signed by RS256.
# A library of OpenID Connect does all of this: examples/openid has ten services with one.
use strict;
use warnings;
use IO::Socket::INET;
use IPC::Open2;

our ($issuer, $client, $folder, $clock_difference);

# --- Bytes and JSON --------------------------------------------------------------------------------------------------
sub contents {
    open(my $file, '<:raw', $_[0]) or die "$_[0]: $!\n";
    local $/;
    return scalar <$file>;
}

sub base64 {
    my $text = pack 'u', $_[0];
    $text =~ s/^.//mg;
    $text =~ s/\n//g;
    $text =~ tr#`\x20-_#AA-Za-z0-9+/#;
    my $rest = (3 - length($_[0]) % 3) % 3;
    substr($text, -$rest) = '=' x $rest if $rest;
    return $text;
}

sub base64url {
    my $text = base64($_[0]);
    $text =~ tr#+/=#-_#d;
    return $text;
}

sub from_base64url {
    my ($text) = @_;
    die "no base64url\n" if $text =~ /[^A-Za-z0-9_-]/;
    $text =~ tr#A-Za-z0-9\-_#\x20-_#;
    return join '', map { unpack 'u', chr(32 + int(length($_) * 3 / 4)) . $_ } $text =~ /(.{1,60})/gs;
}

sub random {
    open(my $file, '<:raw', '/dev/urandom') or die $!;
    read($file, my $bytes, 32) == 32 or die 'no random bytes';
    return base64url($bytes);
}

# Reads one value at the position of a reference to a text: objects, lists, strings as UTF-8, numbers, true as 1.
sub value {
    my ($text) = @_;
    $$text =~ /\G\s+/gc;
    if ($$text =~ /\G\{\s*/gc) {
        my %object;
        until ($$text =~ /\G\s*\}/gc) {
            my $key = value($text);
            $$text =~ /\G\s*:/gc or die "no JSON\n";
            $object{$key} = value($text);
            $$text =~ /\G\s*(?:,\s*|(?=\}))/gc or die "no JSON\n";
        }
        return \%object;
    }
    if ($$text =~ /\G\[\s*/gc) {
        my @list;
        until ($$text =~ /\G\s*\]/gc) {
            push @list, value($text);
            $$text =~ /\G\s*(?:,\s*|(?=\]))/gc or die "no JSON\n";
        }
        return \@list;
    }
    if ($$text =~ /\G"((?:[^"\\]|\\.)*)"/gcs) {
        my ($string, %plain) = ($1, n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
        $string =~ s{\\(?:u([0-9a-fA-F]{4})|(.))}{ defined $1 ? character(hex $1) : $plain{$2} // $2 }gse;
        return $string;
    }
    $$text =~ /\G(true|false|null)/gc and return { true => 1, false => 0, null => undef }->{$1};
    $$text =~ /\G(-?[0-9][0-9.eE+-]*)/gc or die "no JSON\n";
    return $1;
}

sub character {
    my $text = chr $_[0];
    utf8::encode($text);
    return $text;
}

sub json { my ($text) = @_; return value(\$text) }

# --- Calls to the identity provider, and its signatures --------------------------------------------------------------
# A GET, or a POST of fields. Dies if the answer is not 200.
sub call {
    my ($url, $fields, %headers) = @_;
    my ($host, $port, $path) = $url =~ m{^http://(localhost:([0-9]+))(/.*)$} or die "$url is not on this machine\n";
    my $server = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 5) or die "$url: $!\n";
    my $body = defined $fields ? form(%$fields) : '';
    %headers = (%headers, Host => $host, Connection => 'close');
    %headers = (%headers, 'Content-Type' => 'application/x-www-form-urlencoded', 'Content-Length' => length $body) if $fields;
    print $server join("\r\n", ($fields ? 'POST' : 'GET') . " $path HTTP/1.0", map({ "$_: $headers{$_}" } keys %headers), '', $body);
    local $SIG{ALRM} = sub { die "$url: no answer within 10 seconds\n" };
    alarm 10;
    my $answer = do { local $/; <$server> } // '';
    alarm 0;
    my ($status) = $answer =~ m{^HTTP/1\.[01] ([0-9]{3}) };
    ($answer) = $answer =~ /\r\n\r\n(.*)/s;
    die "$url answers ", $status // 'nothing', ': ', substr($answer // '', 0, 200), "\n" unless ($status // '') eq '200';
    return json($answer);
}

sub encoded { my ($text) = @_; $text =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ge; return $text }
sub form { my %fields = @_; return join '&', map { encoded($_) . '=' . encoded($fields{$_}) } sort keys %fields }
sub fields { return map { my ($key, $text) = split /=/, $_, 2; (decoded($key), decoded($text // '')) } split /&/, $_[0] // '' }
sub decoded { my ($text) = @_; $text =~ tr/+/ /; $text =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge; return $text }

sub discover {
    my $found = call("$issuer/.well-known/openid-configuration");
    die "the issuer is $found->{issuer}\n" unless $found->{issuer} eq $issuer;
    return $found;
}

sub openssl {
    my ($input, @arguments) = @_;
    my $process = open2(my $output, my $to, 'openssl', @arguments);
    binmode $_ for $output, $to;
    print $to $input;
    close $to;
    my $result = do { local $/; <$output> };
    waitpid $process, 0;
    return $? == 0 ? $result : undef;
}

# The public key of an RSA key of JWKS, as DER (RFC 8017, A.1.1, in the structure of RFC 5280).
sub public_key {
    my ($key) = @_;
    my $der = sub { my ($tag, $body) = @_; my $size = length $body;
        return chr($tag) . ($size < 128 ? chr $size : "\x82" . pack 'n', $size) . $body };
    my $integers = join '', map { $der->(2, (ord($_) > 127 ? "\0" : '') . $_) } map { from_base64url($key->{$_}) } qw(n e);
    return $der->(0x30, "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00" . $der->(3, "\0" . $der->(0x30, $integers)));
}

# The claims of a token of this issuer for this client. Dies if the signature or a claim that all tokens have is wrong.
sub claims {
    my ($token, $type) = @_;
    my ($signed, $header, $payload, $signature) = $token =~ /^(([\w-]+)\.([\w-]+))\.([\w-]+)$/a or die "no token\n";
    my $head = json(from_base64url($header));
    die "the algorithm or the type is another\n"
        unless ($head->{alg} // '') eq 'RS256' && ($head->{typ} // 'JWT') =~ /^\Q$type\E$/i;
    my ($key) = grep { ($_->{kid} // '') eq ($head->{kid} // '-') && $_->{kty} eq 'RSA' } @{ call(discover()->{jwks_uri})->{keys} };
    die "no key has this id\n" unless $key;
    for my $file ([key => public_key($key)], [signature => from_base64url($signature)]) {
        open(my $out, '>:raw', "$folder/$file->[0]") or die $!;
        print $out $file->[1];
        close $out;
    }
    my @check = ('dgst', '-sha256', '-keyform', 'DER', '-verify', "$folder/key", '-signature', "$folder/signature");
    die "the signature is wrong\n" unless (openssl($signed, @check) // '') =~ /Verified OK/;
    my $claims = json(from_base64url($payload));
    my @audience = ref $claims->{aud} ? @{ $claims->{aud} } : $claims->{aud};
    die "it is for another client\n" unless $claims->{iss} eq $issuer && "@audience" eq $client;
    die "it has expired\n" unless $claims->{exp} > time - $clock_difference && $claims->{iat} < time + $clock_difference;
    return $claims;
}

1;
